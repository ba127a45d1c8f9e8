//! `shardwise man`: a man page for each command, made of its help.

use std::io::{self, Write};
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::arguments::Arguments;

/// Writes the program's own page.
pub(crate) fn print(out: &mut impl Write) -> io::Result<()> {
    let whole = described();
    out.write_all(page(&whole, &whole)?.as_bytes())
}

/// Writes the page of the program and of each command into the folder, which is made where it is missing.
pub(crate) fn write(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let whole = described();
    for command in whole.get_subcommands().chain([&whole]) {
        let name = Man::new(command.clone()).get_filename();
        std::fs::write(folder.join(name), page(command, &whole)?)?;
    }
    Ok(())
}

fn described() -> Command {
    let mut command = Arguments::command().disable_help_subcommand(true);
    // Gives commands the names of their pages.
    command.build();
    command
}

fn page(command: &Command, whole: &Command) -> io::Result<String> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .source(whole.render_version().trim_end())
        .render(&mut page)?;
    Ok(lines_kept(&String::from_utf8_lossy(&page)))
}

/// What stands below a command's options, examples and a table, with its lines as they are.
fn lines_kept(page: &str) -> String {
    let Some((before, after)) = page.split_once("\n.SH EXTRA\n") else {
        return page.to_owned();
    };
    let (examples, rest) = after.split_once("\n.SH").unwrap_or((after.trim_end(), "\n"));
    let rest = if rest == "\n" { rest.to_owned() } else { format!("\n.SH{rest}") };
    let examples = examples.replace("\nExit status:\n", "\n.fi\n.SH \"EXIT STATUS\"\n.nf\n");
    format!("{before}\n.SH EXAMPLES\n.nf\n{examples}\n.fi{rest}")
}
