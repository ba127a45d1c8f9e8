//! The site in this program, and what a request for one of its files gets.

use std::io::Read as _;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};

/// A file of the site.
struct File {
    /// Its path below the site, without a slash in front.
    name: &'static str,
    kind: &'static str,
    /// Its `Content-Security-Policy`, but for who may embed it.
    policy: &'static str,
    /// Its weak entity tag: the same compressed and as it is.
    tag: &'static str,
    /// Whether its name changes with its content.
    hashed: bool,
    /// Whether `bytes` are compressed.
    gzip: bool,
    /// Length as it is.
    length: usize,
    bytes: &'static [u8],
    /// As it is, once somebody asked for it so: all who do share it, however slowly they take it.
    whole: OnceLock<Option<Bytes>>,
}

impl File {
    /// As it is; `None` where its compressed form is damaged.
    fn whole(&self) -> Option<Bytes> {
        if !self.gzip {
            return Some(Bytes::from_static(self.bytes));
        }
        let unpacked = self.whole.get_or_init(|| {
            let mut whole = Vec::with_capacity(self.length);
            GzDecoder::new(self.bytes).read_to_end(&mut whole).ok()?;
            Some(Bytes::from(whole))
        });
        unpacked.clone()
    }

    /// Whether a tag that a browser has is this file's: weakly, as RFC 9110, 13.1.2 has it for `If-None-Match`.
    fn is_tagged(&self, tag: &str) -> bool {
        tag == "*" || opaque(tag) == opaque(self.tag)
    }
}

include!(concat!(env!("OUT_DIR"), "/site.rs"));

/// How the site is served.
pub(crate) struct Site {
    /// The path that it is under: `/`, `/a/b/`.
    pub(crate) at: String,
    /// Names that a request's `Host` may have, without a port. Others are refused: a hostile page may have its own
    /// name point to this machine, and would then read the answers.
    pub(crate) hosts: Vec<String>,
    /// Whether `Host` may be any address of a machine, which no hostile name can be.
    pub(crate) addresses: bool,
    /// Who may embed the page, as the policy says it.
    pub(crate) ancestors: String,
}

/// The policy where nobody else may embed the page.
pub(crate) const OWN: &str = "'self'";

impl Site {
    /// What a request gets.
    pub(crate) fn answer<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        let mut response = self.found(request);
        let headers = response.headers_mut();
        for (name, value) in [
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, "no-referrer"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        let resources = HeaderName::from_static("cross-origin-resource-policy");
        if self.ancestors == OWN {
            headers.insert(resources, HeaderValue::from_static("same-origin"));
        } else {
            // The page that embeds loads `embed.js`, and a frame that is a sandbox has no origin. No file is secret.
            headers.insert(resources, HeaderValue::from_static("cross-origin"));
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
        response
    }

    fn found<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        if !self.known_host(request) {
            return refusal(
                StatusCode::MISDIRECTED_REQUEST,
                "This name is not served. Open it as localhost, or start it with --host and the name.",
            );
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            let mut refused = refusal(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD.");
            let allowed = HeaderValue::from_static("GET, HEAD");
            refused.headers_mut().insert(header::ALLOW, allowed);
            return refused;
        }
        let path = request.uri().path();
        let Some(inside) = path.strip_prefix(self.at.as_str()) else {
            // The bare address leads to the page.
            let above = path == "/" || self.at.strip_suffix('/') == Some(path);
            return if above {
                self.redirect("", request)
            } else {
                refusal(StatusCode::NOT_FOUND, "There is no such file.")
            };
        };
        let name =
            if inside.is_empty() || inside.ends_with('/') { format!("{inside}index.html") } else { inside.to_owned() };
        // A look-up by the whole name: no path leads anywhere else.
        let Some(file) = file(&name) else {
            return if file(&format!("{inside}/index.html")).is_some() {
                self.redirect(&format!("{inside}/"), request)
            } else {
                refusal(StatusCode::NOT_FOUND, "There is no such file.")
            };
        };
        self.sent(file, request)
    }

    /// Whether the request's `Host`, and the address that it asks for where it is a whole one, are names of this machine.
    fn known_host<B>(&self, request: &Request<B>) -> bool {
        let mut said = request.headers().get_all(header::HOST).iter();
        let (Some(host), None) = (said.next(), said.next()) else {
            return false;
        };
        let known = |host: &str| {
            let name = without_port(host).to_ascii_lowercase();
            self.hosts.contains(&name)
                || self.addresses && name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok()
        };
        let asked = request.uri().authority();
        host.to_str().is_ok_and(known) && asked.is_none_or(|asked| known(asked.as_str()))
    }

    fn redirect<B>(&self, inside: &str, request: &Request<B>) -> Response<Full<Bytes>> {
        let query = request.uri().query();
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let mut response = refusal(StatusCode::TEMPORARY_REDIRECT, "It is there.");
        if let Ok(place) = HeaderValue::try_from(format!("{}{inside}{query}", self.at)) {
            response.headers_mut().insert(header::LOCATION, place);
        }
        response
    }

    fn sent<B>(&self, file: &File, request: &Request<B>) -> Response<Full<Bytes>> {
        let (asked, head) = (request.headers(), request.method() == Method::HEAD);
        let same = asked.get_all(header::IF_NONE_MATCH).iter().any(|tags| {
            let tags = tags.to_str().unwrap_or_default();
            tags.split(',').any(|tag| file.is_tagged(tag.trim()))
        });
        let packed = file.gzip && takes_gzip(asked);
        let body = if same || head {
            Bytes::new()
        } else if packed {
            Bytes::from_static(file.bytes)
        } else if let Some(whole) = file.whole() {
            whole
        } else {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR, "This file is damaged. Build the program anew.");
        };
        let mut response = Response::new(Full::new(body));
        let headers = response.headers_mut();
        let mut set = |name, value: &'static str| {
            headers.insert(name, HeaderValue::from_static(value));
        };
        set(header::ETAG, file.tag);
        set(header::CACHE_CONTROL, if file.hashed { "public, max-age=31536000, immutable" } else { "no-cache" });
        if file.gzip {
            set(header::VARY, "accept-encoding");
        }
        if same {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        set(header::CONTENT_TYPE, file.kind);
        if packed {
            set(header::CONTENT_ENCODING, "gzip");
        }
        let length = if packed { file.bytes.len() } else { file.length };
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        let policy = format!("{}; frame-ancestors {}", file.policy, self.ancestors);
        if let Ok(policy) = HeaderValue::try_from(policy) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}

/// A tag without its mark of weakness.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

fn file(name: &str) -> Option<&'static File> {
    let place = FILES.binary_search_by(|file| file.name.cmp(name)).ok()?;
    FILES.get(place)
}

/// A host without its port; an IPv6 address stays in its brackets.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.is_empty() => name,
        _ => host,
    }
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    let mut said = asked.get_all(header::ACCEPT_ENCODING).iter();
    said.any(|codings| {
        let codings = codings.to_str().unwrap_or_default();
        codings.split(',').any(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
            name.trim().eq_ignore_ascii_case("gzip") && weight.parse().is_ok_and(|weight: f32| weight > 0.0)
        })
    })
}

/// An answer without a file; nobody may embed it or run what it says.
fn refusal(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(format!("{text}\n"))));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
