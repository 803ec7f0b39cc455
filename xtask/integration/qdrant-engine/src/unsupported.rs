//! gRPC methods that no test needs.

macro_rules! unsupported {
    ($($method:ident($request:ty) -> $response:ty;)*) => {
        $(
            fn $method<'service, 'answer>(
                &'service self,
                _: tonic::Request<$request>,
            ) -> std::pin::Pin<
                Box<dyn Future<Output = Result<tonic::Response<$response>, tonic::Status>> + Send + 'answer>,
            >
            where
                'service: 'answer,
                Self: 'answer,
            {
                Box::pin(std::future::ready(Err(tonic::Status::unimplemented(stringify!($method)))))
            }
        )*
    };
}

pub(crate) use unsupported;
