//! `shardwise serve` as a browser, and as a hostile page, meets it. The program carries the site of `tests/site`, as
//! SHARDWISE_SITE says in scripts/check.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use flate2::read::GzDecoder;

const PAGE: &str = include_str!("site/index.html");
const STYLE: &str = "style-0123456789abcdef.css";
const WASM: &str = "app-0123456789abcdef_bg.wasm";

struct Server {
    child: Child,
    address: String,
    port: u16,
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let mut child = command(options)
            .args(["--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut told = BufReader::new(child.stdout.take().unwrap());
        told.read_line(&mut line).unwrap();
        let says = format!("Shardwise {}", env!("CARGO_PKG_VERSION"));
        assert!(line.starts_with(&says) && line.contains(shardwise_core::catalog::NEWEST), "{line}");
        let address = line.split(' ').find(|word| word.starts_with("http://"));
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        let (_, port) = address["http://".len()..].split_once('/').unwrap().0.rsplit_once(':').unwrap();
        let port = port.parse().unwrap();
        Self { child, address, port }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            request += &format!("host: localhost:{}\r\n", self.port);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        self.raw((request + "\r\n").as_bytes())
    }

    fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(request).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::of(&bytes)
    }

    #[cfg(unix)]
    fn stop(mut self, signal: &str) -> Option<i32> {
        let process = self.child.id().to_string();
        let sent = Command::new("bash")
            .args(["-c", r#"kill -s "$1" "$2""#, "bash", signal, &process])
            .status()
            .unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(bytes)));
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.to_ascii_lowercase(), value.to_owned())
        });
        Self { status: status.parse().unwrap(), headers: headers.collect(), body: bytes[end + 4..].to_vec() }
    }

    fn header(&self, name: &str) -> &str {
        let mut found = self.headers.iter().filter(|(own, _)| own == name);
        let value = found.next().map_or("", |(_, value)| value);
        assert!(found.next().is_none(), "{name} stands there twice");
        value
    }
}

fn command(options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardwise"));
    command.arg("serve").args(options).stdin(Stdio::null());
    command
}

#[test]
fn every_file_comes_with_its_type_and_strict_headers() {
    let server = Server::start(&[]);
    assert_eq!(server.address, format!("http://127.0.0.1:{}/", server.port));
    let page = "default-src 'none'; script-src 'self'; style-src 'self'; frame-ancestors 'self'";
    let worker = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'self'";
    let nothing = "default-src 'none'; frame-ancestors 'self'";
    let forever = "public, max-age=31536000, immutable";
    for (path, kind, policy, cache) in [
        ("/", "text/html; charset=utf-8", page, "no-cache"),
        ("/index.html", "text/html; charset=utf-8", page, "no-cache"),
        ("/methods/", "text/html; charset=utf-8", page, "no-cache"),
        ("/sw.js", "text/javascript; charset=utf-8", worker, "no-cache"),
        ("/icon.png", "image/png", nothing, "no-cache"),
        (&format!("/{STYLE}"), "text/css; charset=utf-8", nothing, forever),
        (&format!("/{WASM}"), "application/wasm", nothing, forever),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), kind, "{path}");
        assert_eq!(answer.header("content-security-policy"), policy, "{path}");
        assert_eq!(answer.header("cache-control"), cache, "{path}");
        assert_eq!(answer.header("content-length"), answer.body.len().to_string(), "{path}");
        assert_eq!(answer.header("content-encoding"), "", "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
        always(&answer, "same-origin");
    }
    assert_eq!(server.get("/").body, PAGE.as_bytes());
    assert_eq!(server.get(&format!("/{WASM}")).body, include_bytes!("site/app-0123456789abcdef_bg.wasm"));
}

/// What stands on every answer, refusals too.
fn always(answer: &Answer, resources: &str) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", resources),
    ] {
        assert_eq!(answer.header(name), value, "{name}");
    }
    assert!(answer.status == 304 || answer.header("content-security-policy").starts_with("default-src 'none'"));
}

#[test]
fn texts_come_compressed_to_who_takes_them_so() {
    let server = Server::start(&[]);
    for coding in ["gzip", "br, GZIP;q=0.5", "deflate, gzip, br, zstd"] {
        let answer = server.ask("GET", "/", &[("accept-encoding", coding)]);
        assert_eq!(answer.header("content-encoding"), "gzip", "{coding}");
        assert_eq!(answer.header("vary"), "accept-encoding");
        assert!(answer.body.len() < PAGE.len());
        let mut whole = String::new();
        GzDecoder::new(&answer.body[..]).read_to_string(&mut whole).unwrap();
        assert_eq!(whole, PAGE, "{coding}");
    }
    for coding in ["br", "identity", "gzip;q=0", "gzip; q=0.0, br"] {
        let answer = server.ask("GET", "/", &[("accept-encoding", coding)]);
        assert_eq!(answer.header("content-encoding"), "", "{coding}");
        assert_eq!(answer.body, PAGE.as_bytes(), "{coding}");
    }
    // What would grow by it.
    let answer = server.ask("GET", &format!("/{WASM}"), &[("accept-encoding", "gzip")]);
    assert_eq!(answer.header("content-encoding"), "");
    assert_eq!(answer.body.len(), 8);
}

#[test]
fn a_file_that_the_browser_has_is_not_sent_again() {
    let server = Server::start(&[]);
    let tag = server.get("/").header("etag").to_owned();
    assert!(tag.starts_with("W/\"") && tag.len() == 20, "{tag}");
    // A proxy may have made the tag a strong one.
    let strong = tag.trim_start_matches("W/").to_owned();
    for tags in [tag.clone(), strong, format!("\"other\", {tag}"), "*".to_owned()] {
        for method in ["GET", "HEAD"] {
            let answer = server.ask(method, "/", &[("if-none-match", &tags)]);
            assert_eq!(answer.status, 304, "{tags}");
            assert_eq!(answer.body.len(), 0);
            assert_eq!(answer.header("etag"), tag);
            assert_eq!(answer.header("cache-control"), "no-cache");
            always(&answer, "same-origin");
        }
    }
    let answer = server.ask("GET", "/", &[("if-none-match", "W/\"0000000000000000\"")]);
    assert_eq!(answer.status, 200);
    assert_ne!(server.get("/methods/").header("etag"), tag);
}

#[test]
fn head_says_what_get_would() {
    let server = Server::start(&[]);
    for (path, coding) in [("/", "gzip"), ("/", "identity"), ("/icon.png", "gzip"), ("/none", "gzip")] {
        let headers = [("accept-encoding", coding)];
        let (get, head) = (server.ask("GET", path, &headers), server.ask("HEAD", path, &headers));
        assert_eq!(head.body.len(), 0, "{path}");
        assert_eq!(head.status, get.status, "{path}");
        for name in ["content-length", "content-type", "content-encoding", "etag", "content-security-policy"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}

#[test]
fn other_methods_are_refused() {
    let server = Server::start(&[]);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "GUESS"] {
        let answer = server.ask(method, "/", &[("content-length", "0")]);
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.header("allow"), "GET, HEAD");
        always(&answer, "same-origin");
    }
}

#[test]
fn no_path_leads_out_of_the_site() {
    let server = Server::start(&[]);
    for path in [
        "/../Cargo.toml",
        "/methods/../../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/..\\Cargo.toml",
        "//etc/passwd",
        "/./index.html",
        "/index.html/",
        "/methods//",
        "/%00",
        "/index.html%00.png",
        "/_headers",
        "/none.js",
        &format!("/{}", "a/".repeat(10_000)),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}");
        always(&answer, "same-origin");
    }
}

#[test]
fn a_folder_leads_to_its_page_and_keeps_the_query() {
    let server = Server::start(&["--at", "a/b"]);
    assert!(server.address.ends_with("/a/b/"), "{}", server.address);
    assert_eq!(server.get("/a/b/").body, PAGE.as_bytes());
    assert_eq!(server.get("/a/b/?embed&theme=dark").status, 200);
    for (path, place) in
        [("/", "/a/b/"), ("/a/b", "/a/b/"), ("/a/b?embed", "/a/b/?embed"), ("/a/b/methods?x=1", "/a/b/methods/?x=1")]
    {
        let answer = server.get(path);
        assert_eq!(answer.status, 307, "{path}");
        assert_eq!(answer.header("location"), place, "{path}");
        always(&answer, "same-origin");
    }
    for path in ["/a/", "/index.html", "/a/bc", "//evil.example", "/a/b//evil.example"] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.header("location"), "");
    }
}

#[test]
fn a_name_that_a_hostile_page_brings_along_is_refused() {
    let server = Server::start(&[]);
    let port = server.port;
    for host in ["localhost", "127.0.0.1", "LocalHost:9000", "[::1]", &format!("[::1]:{port}")] {
        assert_eq!(server.ask("GET", "/", &[("host", host)]).status, 200, "{host}");
    }
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "localhost.evil.example",
        "localhost@evil.example",
        "127.0.0.1.evil.example",
        "192.0.2.1",
        "0.0.0.0",
        "[::2]",
        "localhost:x",
        "\u{e9}vil",
        "",
    ] {
        let answer = server.ask("GET", "/", &[("host", host)]);
        assert_eq!(answer.status, 421, "{host}");
        always(&answer, "same-origin");
    }
    // None, two, and another in the address.
    for request in [
        "GET / HTTP/1.1\r\nconnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
    ] {
        assert_eq!(server.raw(request.as_bytes()).status, 421, "{request}");
    }
}

#[test]
fn what_is_no_http_ends_the_connection_and_nothing_else() {
    let server = Server::start(&[]);
    let long = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    for request in [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n"[..], long.as_bytes()] {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        // It may hang up before it has read all.
        drop(stream.write_all(request));
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        assert!(!bytes.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&bytes));
    }
    let kept: Vec<TcpStream> = (0..100)
        .map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap())
        .collect();
    assert_eq!(server.get("/").status, 200);
    drop(kept);
}

#[test]
fn sites_that_may_embed_it_are_named() {
    let server = Server::start(&["--frame-ancestors", "'self' http://docs.example:8000"]);
    let answer = server.get("/");
    let policy = answer.header("content-security-policy");
    assert!(policy.ends_with("; frame-ancestors 'self' http://docs.example:8000"), "{policy}");
    // Their pages load the script that embeds, and a sandbox is nobody's origin.
    always(&answer, "cross-origin");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    for sites in ["", " ", "*; script-src *", "a.example, b.example", "a\r\nx: y", "é.example"] {
        let output = command(&["--frame-ancestors", sites]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{sites:?}");
    }
    for path in ["/a b/", "/../", "/a/./b", "/a//b", "/a?b", "/é/"] {
        let output = command(&["--at", path]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{path:?}");
    }
}

#[test]
fn a_port_or_an_address_that_cannot_be_had_is_said_with_the_remedy() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (options, says) in [
        (&["--port", &port][..], "Choose another with --port"),
        (&["--port", "0", "--host", "192.0.2.1"], "192.0.2.1 is no address of this machine"),
        (&["--port", "70000"], "70000 is not in 0..=65535"),
    ] {
        let output = command(options).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(says), "{options:?}: {said}");
    }
}

#[test]
fn it_is_open_to_others_only_when_told_so_and_says_it() {
    let server = Server::start(&["--host", "0.0.0.0"]);
    assert!(server.address.starts_with("http://localhost:"), "{}", server.address);
    // An address of a machine is no name that a hostile page could bring along.
    for (host, status) in [("192.0.2.1:8080", 200), ("[2001:db8::1]", 200), ("localhost", 200), ("evil.example", 421)] {
        assert_eq!(server.ask("GET", "/", &[("host", host)]).status, status, "{host}");
    }
    let mut server = server;
    let mut errors = server.child.stderr.take().unwrap();
    drop(server.child.kill());
    let mut said = String::new();
    errors.read_to_string(&mut said).unwrap();
    assert!(said.contains("Warning: everyone who reaches this machine"), "{said}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_and_the_system_end_it_with_success() {
    for signal in ["INT", "TERM"] {
        let server = Server::start(&[]);
        assert_eq!(server.get("/").status, 200);
        assert_eq!(server.stop(signal), Some(0), "{signal}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_browser_is_opened_only_when_asked_for() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).unwrap();
    let (browser, seen) = (folder.join("xdg-open"), folder.join("seen"));
    std::fs::write(&browser, "#!/bin/sh\necho \"$1\" > \"${0%/*}/seen\"\n").unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (options, opens) in [(&["--port", "0"][..], false), (&["--port", "0", "--open"], true)] {
        let mut child = command(options).env("PATH", &folder).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut told = BufReader::new(child.stdout.take().unwrap());
        told.read_line(&mut line).unwrap();
        let mut address = String::new();
        for _ in 0..if opens { 500 } else { 10 } {
            address = std::fs::read_to_string(&seen).unwrap_or_default();
            if !address.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(child.kill());
        drop(child.wait());
        assert_eq!(!address.is_empty(), opens);
        assert!(line.contains(address.trim()), "{line} {address}");
    }
}
