//! Messages on the wire. A request is encoded once, and sent again as it is.

use std::marker::PhantomData;

use bytes::{BufMut as _, Bytes};
use tonic::{
    Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// Sends bytes and reads messages of the type `R`.
pub(crate) struct Encoded<R>(PhantomData<R>);

impl<R> Default for Encoded<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

pub(crate) struct SendBytes;

impl Encoder for SendBytes {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(item);
        Ok(())
    }
}

pub(crate) struct ReadMessage<R>(PhantomData<R>);

impl<R: prost::Message + Default> Decoder for ReadMessage<R> {
    type Item = R;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<R>, Status> {
        let read = R::decode(buffer);
        read.map(Some).map_err(|error| Status::data_loss(format!("no such message: {error}")))
    }
}

impl<R: prost::Message + Default + 'static> Codec for Encoded<R> {
    type Encode = Bytes;
    type Decode = R;
    type Encoder = SendBytes;
    type Decoder = ReadMessage<R>;

    fn encoder(&mut self) -> SendBytes {
        SendBytes
    }

    fn decoder(&mut self) -> ReadMessage<R> {
        ReadMessage(PhantomData)
    }
}
