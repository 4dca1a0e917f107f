//! A server on loopback that plays the other end of a connection, byte by byte: right answers, wrong ones, and none at all.
//! It stops when dropped.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What the server does when it has heard a request.
#[derive(Clone)]
pub(crate) enum Manner {
    /// Sends these bytes and closes the connection.
    Sends(Vec<u8>),
    /// Sends these bytes and keeps the connection open, saying nothing more.
    HangsAfter(Vec<u8>),
}

impl Manner {
    /// An answer with this status, these headers, a line each, and this body.
    pub(crate) fn answers(status: u16, headers: &[&str], body: &str) -> Self {
        let first = [format!("HTTP/1.1 {status} X"), format!("Content-Length: {}", body.len())];
        let lines: Vec<&str> = first.iter().map(String::as_str).chain(headers.iter().copied()).collect();
        Self::Sends(format!("{}\r\n\r\n{body}", lines.join("\r\n")).into_bytes())
    }
}

pub(crate) struct Endpoint {
    address: SocketAddr,
    state: Arc<State>,
    listener: Option<JoinHandle<()>>,
}

struct State {
    // One a request; the last one stays.
    manners: Mutex<VecDeque<Manner>>,
    requests: Mutex<Vec<String>>,
    // Of those that hang; closed with the server.
    open: Mutex<Vec<TcpStream>>,
    is_over: AtomicBool,
}

impl Endpoint {
    pub(crate) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(State {
            manners: Mutex::new([manner].into()),
            requests: Mutex::default(),
            open: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let listening = thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), state) = (stream, Arc::clone(&shared)) else { continue };
                thread::spawn(move || state.serve(stream));
            }
        });
        Self { address, state, listener: Some(listening) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// From now on one manner a request, the last one for all that are left.
    pub(crate) fn behave(&self, manners: impl IntoIterator<Item = Manner>) {
        let manners: VecDeque<Manner> = manners.into_iter().collect();
        assert!(!manners.is_empty(), "it behaves somehow");
        *self.state.manners.lock().unwrap() = manners;
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.state.requests.lock().unwrap().clone()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        for stream in self.state.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        drop(TcpStream::connect(self.address));
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

impl State {
    /// Keeps the request; what is to be done with it.
    fn record(&self, request: String) -> Manner {
        // Together, so that requests and manners are in the same order.
        let (mut requests, mut manners) = (self.requests.lock().unwrap(), self.manners.lock().unwrap());
        requests.push(request);
        let manner = if manners.len() > 1 { manners.pop_front() } else { manners.front().cloned() };
        manner.expect("it behaves somehow")
    }

    fn serve(&self, mut stream: TcpStream) {
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a deadline");
        let Some(request) = read(&mut stream) else { return };
        match self.record(request) {
            // The other end may have heard enough.
            Manner::Sends(bytes) => drop(stream.write_all(&bytes)),
            Manner::HangsAfter(bytes) => {
                let _ = stream.write_all(&bytes);
                self.open.lock().unwrap().push(stream);
            }
        }
    }
}

/// The first byte of a client that speaks TLS.
const TLS_GREETING: u8 = 22;

fn read(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        if bytes[0] == TLS_GREETING {
            return Some("a greeting in TLS".to_owned());
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
        });
        // In bytes as they came: half a letter is longer in the text than it is.
        if bytes.len() >= head.len() + "\r\n\r\n".len() + length.unwrap_or_default() {
            return Some(text);
        }
    }
}
