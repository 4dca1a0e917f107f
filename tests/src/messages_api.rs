//! A scripted Messages API on loopback: it answers the real client with the replies of a [`Script`] and keeps every
//! request, so that a test can look at what the model was shown. It stops when dropped. It has no idea of hooks, and it
//! never opens a connection itself.
//!
//! Each request is answered on a thread of its own, because subagents ask in parallel and a reply may be delayed.

mod recorded;
mod script;
mod wire;

pub use recorded::{Recorded, ToolResult};
pub use script::{Answer, Reply, Script};

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tiny_http::{Header, Method, Request, Response, Server};

const DEADLINE: Duration = Duration::from_secs(30);

/// The part of the script that answers a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// The main loop: a request with tools and without a marker.
    Main,
    /// A conversation whose first user message carries `[[route:NAME]]`.
    Agent(String),
    /// A question of a judge: the schema of its answer is set.
    Judge,
    /// The client wants a summary of the conversation.
    Summary,
    /// Any other request without tools: titles.
    Aux,
}

pub struct MessagesApi {
    server: Arc<Server>,
    state: Arc<State>,
}

impl MessagesApi {
    /// Listens on a free port of 127.0.0.1 and answers by the script.
    pub fn start(script: Script) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port on loopback"));
        let state = Arc::new(State { script, progress: Mutex::default(), changed: Condvar::new() });
        let (listening, shared) = (Arc::clone(&server), Arc::clone(&state));
        thread::spawn(move || {
            while let Ok(request) = listening.recv() {
                let state = Arc::clone(&shared);
                thread::spawn(move || state.answer(request));
            }
        });
        Self { server, state }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    fn requests_of(&self, route: &Route) -> Vec<Arc<Recorded>> {
        let all = self.state.progress().requests.clone();
        all.into_iter().filter(|request| request.route == *route).collect()
    }

    /// The requests of the main loop so far, in order.
    pub fn requests(&self) -> Vec<Arc<Recorded>> {
        self.requests_of(&Route::Main)
    }

    pub fn of_agent(&self, route: &str) -> Vec<Arc<Recorded>> {
        self.requests_of(&Route::Agent(route.to_owned()))
    }

    pub fn judged(&self) -> Vec<Arc<Recorded>> {
        self.requests_of(&Route::Judge)
    }

    /// The last request of the main loop: the whole conversation.
    #[track_caller]
    pub fn last(&self) -> Arc<Recorded> {
        self.requests().pop().expect("the model was asked")
    }

    /// The outcome of each tool call of the main loop, in order: `denied` by a hook, `failed`, or `ran`.
    #[track_caller]
    pub fn outcomes(&self) -> Vec<&'static str> {
        self.last().outcomes()
    }

    #[track_caller]
    pub fn results(&self) -> Vec<ToolResult> {
        self.last().tool_results()
    }

    /// Waits for request `index` (from 0) of a route and returns it; fails at the deadline and lists what came.
    #[track_caller]
    pub fn wait_for(&self, route: &Route, index: usize) -> Arc<Recorded> {
        let until = Instant::now() + DEADLINE;
        let mut progress = self.state.progress();
        loop {
            let mut own = progress.requests.iter().filter(|request| request.route == *route);
            if let Some(request) = own.nth(index) {
                return Arc::clone(request);
            }
            let left = until.saturating_duration_since(Instant::now());
            let came: Vec<_> = progress.requests.iter().map(|request| request.route.clone()).collect();
            assert!(!left.is_zero(), "no request {index} of {route:?} within {DEADLINE:?}: {came:?}");
            progress = self.state.changed.wait_timeout(progress, left).expect("the state of the server").0;
        }
    }
}

impl Drop for MessagesApi {
    fn drop(&mut self) {
        self.state.progress().stopped = true;
        self.state.changed.notify_all();
        self.server.unblock();
    }
}

struct State {
    script: Script,
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Default)]
struct Progress {
    requests: Vec<Arc<Recorded>>,
    taken: HashMap<Route, usize>,
    stopped: bool,
}

impl State {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        // A script's own closure may panic in a thread of ours: the test shall see its failure, not a second one here.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, mut request: Request) {
        let mut body = Vec::new();
        drop(request.as_reader().read_to_end(&mut body));
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        if *request.method() == Method::Post && request.url().split('?').next() == Some("/v1/messages") {
            return self.reply(request, body);
        }
        let error = json!({ "type": "not_found_error", "message": "the scripted server has no such page" });
        send_json(request, 404, &json!({ "type": "error", "error": error }), &[]);
    }

    /// Keeps the request and counts it in its route; returns its place there.
    fn record(&self, route: Route, body: Value) -> (Arc<Recorded>, usize) {
        let mut progress = self.progress();
        let recorded = Arc::new(Recorded::new(progress.requests.len(), route.clone(), body));
        progress.requests.push(Arc::clone(&recorded));
        let taken = progress.taken.entry(route).or_default();
        let position = *taken;
        *taken += 1;
        self.changed.notify_all();
        (recorded, position)
    }

    fn reply(&self, request: Request, body: Value) {
        let (recorded, position) = self.record(self.script.route_of(&body), body);
        let reply = self.script.reply_to(&recorded, position);
        if !self.pause(reply.delay) {
            return;
        }
        let headers = &self.script.headers;
        if let Some((status, error)) = &reply.error {
            return send_json(request, *status, &json!({ "type": "error", "error": error }), headers);
        }
        let message = wire::Message::new(&reply, &recorded);
        if recorded.body["stream"] == json!(true) {
            let pause = || self.pause(reply.pause_between_blocks);
            // The client may leave in the middle of a stream (Esc); that is its right.
            drop(message.stream(request.into_writer(), headers, pause));
        } else {
            send_json(request, 200, &message.whole(), headers);
        }
    }

    /// Waits, unless the server stops; says whether it is still running.
    fn pause(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut progress = self.progress();
        while !progress.stopped && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now());
            progress = self.changed.wait_timeout(progress, left).expect("the state of the server").0;
        }
        !progress.stopped
    }
}

fn send_json(request: Request, status: u16, body: &Value, headers: &[(String, String)]) {
    let mut response = Response::from_string(body.to_string()).with_status_code(status);
    let content_type = ("content-type".to_owned(), "application/json".to_owned());
    for (name, value) in headers.iter().chain([&content_type]) {
        response.add_header(Header::from_bytes(name.as_bytes(), value.as_bytes()).expect("a header"));
    }
    // The client may have left; that is its right.
    drop(request.respond(response));
}
