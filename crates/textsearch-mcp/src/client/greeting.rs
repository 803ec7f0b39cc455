//! Finds out which revision of the protocol a server speaks.
//!
//! Servers of 2026-07-28 answer `server/discover`, older ones `initialize`. As the specification
//! recommends, the client tries the former first.

use std::time::Duration;

use rmcp::{
    model::{JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage},
    service::{ClientInitializeError, ClientLifecycleMode},
};

/// The maximum time of a probe. Some old servers ignore `server/discover`; new ones can take seconds to
/// start. After 10 s, the SDK would take a late answer for another one.
const LONGEST_PROBE: Duration = Duration::from_secs(9);

/// The greeting of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greeting {
    /// `server/discover`, and then `initialize` on the same connection if the server allows it.
    Probe,
    Initialize,
    Discover,
}

impl Greeting {
    pub(super) fn lifecycle(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::NO_INITIALIZE];
        match self {
            Self::Probe => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
            Self::Initialize => ClientLifecycleMode::Initialize,
            Self::Discover => ClientLifecycleMode::Discover { preferred_versions },
        }
    }

    /// Returns the maximum time to wait for the server, if the greeting has its own limit.
    pub(super) fn patience(self, connect_timeout: Duration) -> Option<Duration> {
        (self == Self::Probe).then(|| LONGEST_PROBE.min(connect_timeout / 2))
    }

    /// Returns the greeting for another connection. `None` means that no greeting can help.
    pub(super) fn after(self, error: &ClientInitializeError, was_silent: bool) -> Option<Self> {
        use ClientInitializeError::{
            JsonRpcError, LegacyFallbackFailed, NoCompatibleProtocolVersion,
        };
        if error.is_authorization_required() {
            return None;
        }
        let refuses_initialize = match error {
            JsonRpcError(_) => true,
            LegacyFallbackFailed { fallback, .. } => matches!(**fallback, JsonRpcError(_)),
            _ => false,
        };
        match (self, error) {
            (Self::Discover, _) => None,
            // It answers, but was slow at first.
            (_, _) if was_silent && refuses_initialize => Some(Self::Discover),
            (Self::Initialize, _) => None,
            (Self::Probe, NoCompatibleProtocolVersion { server_supported, .. }) => {
                let is_old = server_supported.iter().any(ProtocolVersion::has_initialize);
                (is_old || server_supported.is_empty()).then_some(Self::Initialize)
            }
            // Some old servers stop, or confuse states, after a request that they don't know.
            (Self::Probe, _) => Some(Self::Initialize),
        }
    }
}

/// Some servers answer a number with a text.
pub(super) fn is_answer(message: &ServerJsonRpcMessage, id: &RequestId) -> bool {
    let answered = match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    };
    answered.is_some_and(|answered| answered.to_string() == id.to_string())
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ErrorCode, ErrorData};

    use super::*;

    fn refused() -> ClientInitializeError {
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "unknown", None);
        ClientInitializeError::JsonRpcError(error)
    }

    fn closed() -> ClientInitializeError {
        ClientInitializeError::ConnectionClosed("initialize response".to_owned())
    }

    fn both_failed(fallback: ClientInitializeError) -> ClientInitializeError {
        let discover = Box::new(refused());
        let fallback = Box::new(fallback);
        ClientInitializeError::LegacyFallbackFailed { discover, fallback }
    }

    fn speaks(versions: &[ProtocolVersion]) -> ClientInitializeError {
        ClientInitializeError::NoCompatibleProtocolVersion {
            client_supported: Vec::new(),
            server_supported: versions.to_vec(),
        }
    }

    #[test]
    fn old_servers_get_initialize_on_another_connection() {
        let old = speaks(&[ProtocolVersion::V_2025_06_18]);
        for error in [closed(), refused(), both_failed(closed()), both_failed(refused()), old] {
            let next = Greeting::Probe.after(&error, false);
            assert_eq!(next, Some(Greeting::Initialize), "{error}");
        }
    }

    #[test]
    fn slow_new_servers_get_discover_again() {
        assert_eq!(Greeting::Probe.after(&both_failed(refused()), true), Some(Greeting::Discover));
        assert_eq!(Greeting::Initialize.after(&refused(), true), Some(Greeting::Discover));
        assert_eq!(Greeting::Initialize.after(&closed(), true), None);
    }

    #[test]
    fn no_server_is_greeted_more_than_three_times() {
        for error in [closed(), refused(), both_failed(refused()), speaks(&[])] {
            assert_eq!(Greeting::Initialize.after(&error, false), None, "{error}");
            assert_eq!(Greeting::Discover.after(&error, true), None, "{error}");
        }
        let newer: ProtocolVersion = serde_json::from_str("\"2030-01-01\"").unwrap();
        assert_eq!(Greeting::Probe.after(&speaks(&[newer]), false), None);
    }
}
