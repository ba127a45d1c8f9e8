//! `shardwise serve`: the page from this program, for machines without a network.

mod site;

use std::convert::Infallible;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use shardwise_core::interface::Speak;
use shardwise_core::wire::Language;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;

use super::arguments::IDENTITY;
use site::Site;

/// Where the page is served, and to whom.
#[derive(Args)]
pub(crate) struct Options {
    /// Port; 0 takes a free one.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Name or address of this machine to be reached by; the default reaches this machine alone.
    #[arg(long, default_value = "127.0.0.1")]
    host: String,
    /// Path to serve the page under.
    #[arg(long, default_value = "/", value_parser = path)]
    at: String,
    /// Sites whose pages may embed the page: addresses with spaces between them, or `*`.
    #[arg(long, default_value = site::OWN, value_parser = ancestors)]
    frame_ancestors: String,
    /// Open the page in this machine's browser.
    #[arg(long)]
    open: bool,
}

/// How long a browser may take to say what it asks for, and how long it may take no byte of an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a connection may last, whatever it does: who takes a byte now and then is slow on purpose.
const LIFETIME: Duration = Duration::from_secs(300);

/// Connections at a time; who comes beyond waits until one ends. Each takes up to 80 kB, whatever it asks for.
const MOST_CONNECTIONS: usize = 512;

/// Serves until it is interrupted.
pub(crate) fn run(options: &Options, lang: Language) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(options, lang))
}

async fn serve(options: &Options, lang: Language) -> io::Result<()> {
    let host = options.host.trim_matches(['[', ']']);
    let listener = TcpListener::bind((host, options.port))
        .await
        .map_err(|error| unreachable(options, &error, lang))?;
    let own = listener.local_addr()?;
    let stopped = stopped()?;
    let named = shown(host);
    let site = Arc::new(Site {
        at: options.at.clone(),
        hosts: ["localhost", "127.0.0.1", "[::1]", &named]
            .map(str::to_ascii_lowercase)
            .to_vec(),
        addresses: own.ip().is_unspecified(),
        ancestors: options.frame_ancestors.clone(),
    });
    tokio::spawn(accept(listener, site));
    told(options, own, &named, lang)?;
    stopped.await;
    Ok(())
}

/// A host as an address has it.
fn shown(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

fn told(options: &Options, own: SocketAddr, named: &str, lang: Language) -> io::Result<()> {
    let host = if own.ip().is_unspecified() { "localhost" } else { named };
    let address = format!("http://{host}:{}{}", own.port(), options.at);
    if !own.ip().is_loopback() {
        let warning = "Warning: everyone who reaches this machine can open the page. Browsers keep it for offline use under localhost alone; ssh -L 8080:localhost:8080 brings it there.";
        // Whoever closed standard error does not want the warning.
        let _ = writeln!(io::stderr(), "shardwise: {}", lang.sentence(warning));
    }
    let says = lang.sentence(&format!(
        "Shardwise {} with data of {} is at {address} (Ctrl-C stops it)",
        IDENTITY.exact(),
        IDENTITY.data_date
    ));
    let mut out = io::stdout();
    writeln!(out, "{says}")?;
    out.flush()?;
    if options.open && !opened(&address) {
        let says = lang.sentence("No browser could be started; open the address yourself.");
        let _ = writeln!(io::stderr(), "shardwise: {says}");
    }
    Ok(())
}

fn opened(address: &str) -> bool {
    let mut command = if cfg!(target_os = "windows") {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else {
        Command::new("xdg-open")
    };
    let nothing = || Stdio::null();
    command
        .arg(address)
        .stdin(nothing())
        .stdout(nothing())
        .stderr(nothing())
        .spawn()
        .is_ok()
}

/// Why the address cannot be had, and what to do.
fn unreachable(options: &Options, error: &io::Error, lang: Language) -> io::Error {
    let (host, port) = (&options.host, options.port);
    let says = match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("Port {port} is taken. Choose another with --port, or --port 0 for any that is free.")
        }
        io::ErrorKind::PermissionDenied => {
            format!("Port {port} is for the system's own services. Choose one above 1023 with --port.")
        }
        _ => format!("{host} is no address of this machine ({error}). Leave out --host, or name one that it has."),
    };
    io::Error::new(error.kind(), lang.sentence(&says))
}

async fn accept(listener: TcpListener, site: Arc<Site>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(tokio::time::timeout(LIFETIME, converse(stream, Arc::clone(&site), place)));
            }
            // Too many open files, or a caller that is gone: others may come.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Answers until the browser ends, or is too slow; the place is free then.
async fn converse(stream: TcpStream, site: Arc<Site>, _place: OwnedSemaphorePermit) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(PATIENCE));
    let service = service_fn(move |request| {
        let answer = site.answer(&request);
        async move { Ok::<_, Infallible>(answer) }
    });
    // A browser that hangs up, or says nothing that is HTTP, is no concern of anyone.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
        .await;
}

/// Waits for Ctrl-C, or for a system that stops services.
#[cfg(unix)]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    use std::future::poll_fn;
    use std::task::Poll;
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(poll_fn(move |context| {
        if interrupt.poll_recv(context).is_ready() || terminate.poll_recv(context).is_ready() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }))
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// A path with a slash at both ends.
fn path(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    if !text.bytes().all(plain) || text.contains("//") || text.split('/').any(|part| part.starts_with('.')) {
        return Err("Give a path of letters, digits and - _ ~, as /tools/shardwise/.".to_owned());
    }
    let inside = text.trim_matches('/');
    Ok(if inside.is_empty() { "/".to_owned() } else { format!("/{inside}/") })
}

/// Sources of a policy; nothing that ends the list, or the header.
fn ancestors(text: &str) -> Result<String, String> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !b";,".contains(&byte) || byte == b' ';
    if text.trim().is_empty() || !text.bytes().all(plain) {
        return Err("Give addresses with spaces between them, as \"'self' http://docs.example:8000\".".to_owned());
    }
    Ok(text.trim().to_owned())
}
