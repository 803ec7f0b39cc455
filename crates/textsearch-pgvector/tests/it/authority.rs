//! A certificate authority, and servers with its certificates.

use std::{
    env,
    io::Write as _,
    process::{Command, Output},
    sync::Arc,
};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::{ServerConfig, SupportedProtocolVersion, crypto::ring, pki_types::PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

pub(crate) struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = parameters.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(parameters, key) }
    }

    /// Runs an ignored test of this program in a child process that trusts the authority alone, because
    /// a process reads its root certificates once. The test reads the URL from `variable`.
    pub(crate) fn run(&self, test: &str, variable: &str, url: &str) -> Output {
        let mut roots = tempfile::NamedTempFile::new().unwrap();
        roots.write_all(self.pem.as_bytes()).unwrap();
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", test, "--ignored", "--nocapture"]);
        child.env(variable, url).env("SSL_CERT_FILE", roots.path()).env_remove("SSL_CERT_DIR");
        child.output().unwrap()
    }

    /// Returns the encryption of the server `host`.
    pub(crate) fn server(
        &self,
        host: &str,
        version: &'static SupportedProtocolVersion,
    ) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let parameters = CertificateParams::new([host.to_owned()]).unwrap();
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let provider = Arc::new(ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        TlsAcceptor::from(Arc::new(config.unwrap()))
    }
}
