//! A scripted Messages API on loopback: it answers the real client with the replies of a [`Script`] and keeps every
//! request, so that a test can look at what the model was shown. It stops when dropped. It has no idea of hooks, and it
//! never opens a connection itself.
//!
//! Each request is answered on a thread of its own, because subagents ask in parallel and a reply may be delayed.

mod recorded;
mod script;
mod wire;

pub use recorded::{Recorded, Shown, ToolResult};
pub use script::{Answer, Reply, Script, Usage};

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tiny_http::{Header, Method, Request, Response, Server};

/// The part of the script that answered a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// The main loop: a request with tools and without a marker.
    Main,
    /// A conversation whose first user message carries `[[route:NAME]]`.
    Marked(String),
    /// A request whose last message shows the text of [`Script::when_shown`].
    Shown(String),
    /// A request that no client makes: whole, with the answer's form set by a schema.
    Judge,
    /// A request without tools: titles, summaries.
    Aux,
    /// `/v1/messages/count_tokens`.
    CountTokens,
    /// Anything else; answered with 404.
    Unknown,
}

/// The running server.
pub struct MessagesApi {
    server: Arc<Server>,
    state: Arc<State>,
    listener: Option<JoinHandle<()>>,
}

impl MessagesApi {
    /// Listens on a free port of 127.0.0.1 and answers by the script.
    pub fn start(script: Script) -> Self {
        let server = Arc::new(Server::http("127.0.0.1:0").expect("a free port on loopback"));
        let state = Arc::new(State { script, progress: Mutex::default(), changed: Condvar::new() });
        let (listening, shared) = (Arc::clone(&server), Arc::clone(&state));
        let listener = thread::spawn(move || {
            while let Ok(request) = listening.recv() {
                let state = Arc::clone(&shared);
                thread::spawn(move || state.answer(request));
            }
        });
        Self { server, state, listener: Some(listener) }
    }

    /// Value of `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.server_addr())
    }

    /// Every request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Arc<Recorded>> {
        self.state.progress().requests.clone()
    }

    /// The requests of one route so far, in order.
    pub fn requests_of(&self, route: &Route) -> Vec<Arc<Recorded>> {
        self.requests().into_iter().filter(|request| request.route == *route).collect()
    }

    /// The requests of the main loop so far, in order.
    pub fn main_requests(&self) -> Vec<Arc<Recorded>> {
        self.requests_of(&Route::Main)
    }

    /// The requests of the subagents marked with this name so far, in order.
    pub fn marked_requests(&self, name: &str) -> Vec<Arc<Recorded>> {
        self.requests_of(&Route::Marked(name.to_owned()))
    }

    /// The requests of judges so far, in order.
    pub fn judge_requests(&self) -> Vec<Arc<Recorded>> {
        self.requests_of(&Route::Judge)
    }

    /// Does any text of main-loop request `index` (from 0), but for the model's own, contain this?
    #[track_caller]
    pub fn showed(&self, index: usize, text: &str) -> bool {
        let requests = self.main_requests();
        let count = requests.len();
        requests
            .get(index)
            .unwrap_or_else(|| panic!("only {count} main-loop requests, no number {index}"))
            .shows(text)
    }

    /// The texts the model was newly shown in the main loop after request `index`: those of later requests that neither
    /// that request nor one before them had.
    #[track_caller]
    pub fn shown_after(&self, index: usize) -> Vec<String> {
        let requests = self.main_requests();
        let mut known = requests.get(index).expect("that main-loop request").shown_texts();
        let mut news = Vec::new();
        for request in &requests[index + 1..] {
            let new = recorded::without(request.shown_texts(), &known);
            known = request.shown_texts();
            news.extend(new);
        }
        news
    }

    /// Waits until the requests so far fulfil a condition; fails at the deadline and lists what came.
    #[track_caller]
    pub fn wait_until(&self, what: &str, deadline: Duration, fulfilled: impl Fn(&[Arc<Recorded>]) -> bool) {
        let until = Instant::now() + deadline;
        let mut progress = self.state.progress();
        while !fulfilled(&progress.requests) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let came: Vec<_> = progress.requests.iter().map(|request| request.route.clone()).collect();
                drop(progress);
                panic!("{what}: not within {deadline:?}; requests: {came:?}");
            }
            progress = self.state.changed.wait_timeout(progress, left).expect("the state of the server").0;
        }
    }

    /// Waits for the main-loop request `index` (from 0) and returns it.
    #[track_caller]
    pub fn wait_for_main_request(&self, index: usize, deadline: Duration) -> Arc<Recorded> {
        let is_main = |request: &&Arc<Recorded>| request.route == Route::Main;
        self.wait_until(&format!("main-loop request {index}"), deadline, |requests| {
            requests.iter().filter(is_main).count() > index
        });
        Arc::clone(&self.main_requests()[index])
    }
}

impl Drop for MessagesApi {
    fn drop(&mut self) {
        self.state.progress().stopped = true;
        self.state.changed.notify_all();
        self.server.unblock();
        if let Some(listener) = self.listener.take() {
            drop(listener.join());
        }
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
    tool_calls: usize,
    stopped: bool,
}

impl State {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        // A script's own closure may panic in a thread of ours: the test shall see its failure, not a second one here.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, mut request: Request) {
        if *request.method() != Method::Post {
            return not_found(request);
        }
        let mut body = Vec::new();
        drop(request.as_reader().read_to_end(&mut body));
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let (recorded, position) = self.record(&request, body);
        match recorded.route {
            Route::Unknown => not_found(request),
            Route::CountTokens => {
                send_json(request, 200, &json!({ "input_tokens": self.script.input_tokens }), &[]);
            }
            _ => self.reply(request, &recorded, position),
        }
    }

    /// Keeps the request and counts it in its route; returns its place there.
    fn record(&self, request: &Request, body: Value) -> (Arc<Recorded>, usize) {
        let path = request.url().split('?').next().unwrap_or_default();
        let route = match path {
            "/v1/messages" => self.script.route_of(&body),
            "/v1/messages/count_tokens" => Route::CountTokens,
            _ => Route::Unknown,
        };
        let mut progress = self.progress();
        let recorded = Arc::new(Recorded::new(progress.requests.len(), route.clone(), request, body));
        progress.requests.push(Arc::clone(&recorded));
        let taken = progress.taken.entry(route).or_default();
        let position = *taken;
        *taken += 1;
        self.changed.notify_all();
        (recorded, position)
    }

    fn reply(&self, request: Request, recorded: &Recorded, position: usize) {
        let reply = self.script.reply_to(recorded, position);
        if !self.pause(reply.delay) {
            return;
        }
        let headers: Vec<_> = self.script.headers.iter().chain(&reply.headers).cloned().collect();
        if let Some(error) = &reply.error {
            return send_json(request, reply.status, &json!({ "type": "error", "error": error }), &headers);
        }
        let message = wire::Message::new(&reply, recorded, || self.next_tool_call_id());
        if recorded.body["stream"] == json!(true) {
            let pause = || self.pause(reply.pause_between_blocks);
            // The client may leave in the middle of a stream (Esc); that is its right.
            drop(message.stream(request.into_writer(), &headers, pause));
        } else {
            send_json(request, 200, &message.whole(), &headers);
        }
    }

    fn next_tool_call_id(&self) -> String {
        let mut progress = self.progress();
        progress.tool_calls += 1;
        format!("toolu_scripted_{:04}", progress.tool_calls)
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

fn not_found(request: Request) {
    let error = json!({ "type": "not_found_error", "message": "the scripted server has no such page" });
    send_json(request, 404, &json!({ "type": "error", "error": error }), &[]);
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
