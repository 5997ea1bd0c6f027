import type { Operations } from '../../trace/operations.ts';
import type { FileLedger } from '../ledger.ts';
import type { RecordSink, SourceFile } from '../reader.ts';
import { ChatSink } from './read.ts';
import type { FileState } from './state.ts';
import { freshStream, isStreamEvent, StreamSink, type StreamState } from './stream.ts';

/** The state of a file's reading: of its chat rows and of its stream events, where it has any. */
interface State {
  chat?: FileState;
  stream?: StreamState;
}

/** Reads chats and saved streams: each record goes to the sink of its grammar. */
export class EitherSink implements RecordSink {
  private chat: ChatSink | undefined;
  private stream: StreamSink | undefined;
  private readonly make: { chat(): ChatSink; stream(): StreamSink };

  constructor(file: SourceFile, out: Operations, ledger: FileLedger, given?: unknown) {
    const { chat, stream } = (given ?? {}) as State;
    this.make = {
      chat: () => new ChatSink(file, out, ledger, chat),
      stream: () => new StreamSink(file, out, ledger, stream ?? freshStream()),
    };
    if (chat !== undefined) this.chat = this.make.chat();
    if (stream !== undefined) this.stream = this.make.stream();
  }

  record(value: unknown, offset: number, bytes: number): void {
    if (isStreamEvent(value)) {
      this.stream ??= this.make.stream();
      this.stream.record(value, offset, bytes);
    } else {
      this.chat ??= this.make.chat();
      this.chat.record(value, offset, bytes);
    }
  }

  end(): State {
    return {
      ...(this.chat ? { chat: this.chat.end() } : {}),
      ...(this.stream ? { stream: this.stream.end() } : {}),
    };
  }
}
