//! Signatures of JWTs, checked by ring, which also does TLS.

use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind,
    crypto::{CryptoProvider, JwtVerifier, KeyUtils},
    errors::{ErrorKind, new_error},
    signature::{Error, Verifier},
};
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(new_error(ErrorKind::UnsupportedAlgorithm)),
    verifier_factory: |algorithm, key| {
        if key.family() != algorithm.family() {
            return Err(new_error(ErrorKind::InvalidAlgorithm));
        }
        Ok(Box::new(RingVerifier { algorithm: *algorithm, key: key.clone() }))
    },
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes ring check signatures, unless the program chose another library.
pub(super) fn install() {
    if CryptoProvider::try_get_default().is_none() {
        // Another thread may have been faster, with the same effect.
        let _installed = PROVIDER.install_default();
    }
}

struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Error> {
        let checked = match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                let parameters = rsa(self.algorithm).ok_or_else(Error::new)?;
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            DecodingKeyKind::SecretOrDer(key) => {
                let algorithm = curve(self.algorithm).ok_or_else(Error::new)?;
                UnparsedPublicKey::new(algorithm, key).verify(message, signature)
            }
        };
        checked.map_err(|_| Error::new())
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

fn rsa(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    match algorithm {
        Algorithm::RS256 => Some(&signature::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::PS256 => Some(&signature::RSA_PSS_2048_8192_SHA256),
        _ => None,
    }
}

fn curve(algorithm: Algorithm) -> Option<&'static dyn VerificationAlgorithm> {
    match algorithm {
        Algorithm::ES256 => Some(&signature::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Some(&signature::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Some(&signature::ED25519),
        _ => None,
    }
}
