//! Journal lines about a decision, and the provenance that a block names.

use super::{Invocation, write_entry};
use crate::config::Section;
use crate::hook::{Audit, AuditEvent, Hook, Verdict};
use crate::journal::Entry;

impl Invocation<'_> {
    /// Keeps what was done beside the verdict.
    pub(super) fn audited<H: Hook>(
        &self,
        audit_event: &AuditEvent,
        notice: Option<&str>,
        section: &Section<H::Settings>,
    ) {
        match audit_event {
            AuditEvent::Allowed(why) => {
                self.journal::<H>(&Entry { what: "let-go", text: Some(why), ..Entry::default() });
            }
            AuditEvent::Advised(rule) => {
                let (origin, key) = (section.origin(rule), section.in_file(rule));
                self.journal::<H>(&Entry {
                    what: "advise",
                    rule: Some(&key),
                    layer: origin.as_ref().map(|origin| origin.layer.word()),
                    place: origin.map(|origin| origin.to_string()).as_deref(),
                    text: notice,
                    ..Entry::default()
                });
            }
        }
    }

    /// Adds to a refusal where its rule is set, and keeps it in the journal with what it asks for.
    pub(super) fn traced<H: Hook>(
        &self,
        verdict: Verdict,
        audit: &Audit,
        section: &Section<H::Settings>,
    ) -> Verdict {
        let word = match &verdict {
            // At a session's start Claude can neither follow nor override a rule yet.
            Verdict::Advise { .. } if self.is_starting() => "tell",
            verdict => verdict.word(),
        };
        let lines = |lines: Vec<String>| (!lines.is_empty()).then(|| lines.join("\n"));
        let next = lines(audit.next.clone());
        let also = lines(audit.also.iter().map(|rule| section.in_file(rule)).collect());
        let trace = |reason: String, rule: &str| {
            let (origin, key) = (section.origin(rule), section.in_file(rule));
            let place = origin.as_ref().map(ToString::to_string);
            let reason = match &place {
                // A reason for several rules names the place of each itself.
                Some(place) if !reason.contains(place) => format!("{reason}\n({key}: {place})"),
                _ => reason,
            };
            self.journal::<H>(&Entry {
                what: word,
                rule: Some(&key),
                also: also.as_deref(),
                layer: origin.map(|origin| origin.layer.word()),
                place: place.as_deref(),
                text: Some(&reason),
                next: next.as_deref(),
                ..Entry::default()
            });
            reason
        };
        match verdict {
            Verdict::Pass => Verdict::Pass,
            Verdict::Advise { text } => {
                self.journal::<H>(&Entry { what: word, text: Some(&text), ..Entry::default() });
                Verdict::Advise { text }
            }
            Verdict::Reply { text } => {
                self.journal::<H>(&Entry { what: word, ..Entry::default() });
                Verdict::Reply { text }
            }
            // The journal gets a sleep when it is over.
            Verdict::Sleep { until, rule } => Verdict::Sleep { until, rule },
            Verdict::Deny { reason, rule } => Verdict::Deny { reason: trace(reason, &rule), rule },
            Verdict::Ask { reason, rule } => Verdict::Ask { reason: trace(reason, &rule), rule },
            Verdict::Block { reason, rule } => Verdict::Block { reason: trace(reason, &rule), rule },
        }
    }

    pub(super) fn journal_error<H: Hook>(&self, error: &str) {
        self.journal::<H>(&Entry { what: "error", text: Some(error), ..Entry::default() });
    }

    /// Writes an entry, with what is known of this call.
    pub(super) fn journal<H: Hook>(&self, entry: &Entry<'_>) {
        let Some(store) = &self.store else { return };
        let call = &self.request.call;
        let tool = self.request.event.tool_call();
        let entry = Entry {
            event: self.request.event.name(),
            session: call.session_id.as_deref(),
            prompt: call.prompt_id.as_deref(),
            agent: call.agent_id.as_deref(),
            call: tool.and_then(|tool| tool.tool_use_id.as_deref()),
            tool: tool.map(|tool| tool.tool_name.as_str()).filter(|name| !name.is_empty()),
            ..*entry
        };
        write_entry::<H>(store, self.host, &self.places, &entry);
    }
}
