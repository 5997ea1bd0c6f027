import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server was asked. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: bodies are what each test makes of them
  readonly body: any;
}

/** What it does: a JSON body with status 200, or anything the test writes itself. */
export type Scripted = (asked: Asked, number: number, response: ServerResponse) => unknown;

export interface ScriptedServer {
  readonly url: string;
  /** Requests to the path, in their order. */
  asked(path?: string): Asked[];
  close(): Promise<void>;
}

/**
 * A model server on loopback that does what a test scripts. `number` counts the POSTs from 1. A returned value is sent as
 * JSON; undefined means the script answered, or never will. GET /models names one model unless the script does.
 */
export async function scriptedServer(
  script: Scripted,
  models: unknown = { data: [{ id: 'tiny' }] },
): Promise<ScriptedServer> {
  const all: Asked[] = [];
  let posts = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', chunk => (text += chunk));
    request.on('end', async () => {
      const asked = {
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
      all.push(asked);
      const reply = request.method === 'GET' ? models : await script(asked, ++posts, response);
      if (reply !== undefined) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(reply));
      }
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: path => all.filter(each => path === undefined || each.path === path),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A chat reply of this content. */
export const chatReply = (content: unknown, tokens = { prompt_tokens: 10, completion_tokens: 5 }) => ({
  choices: [
    { message: { role: 'assistant', content: typeof content === 'string' ? content : JSON.stringify(content) } },
  ],
  usage: tokens,
});

/** Items of a request, as the client writes them. */
export const itemsOf = ({ body }: Asked): { id: number; text: string }[] => JSON.parse(body.messages[1].content);

/** Answers each item of a request. */
export const answerEach = (asked: Asked, answer: (text: string) => unknown) =>
  chatReply({ answers: itemsOf(asked).map(({ id, text }) => ({ id, answer: answer(text) })) });

/** Ends a response with a status and a text. */
export function refuse(
  response: ServerResponse,
  status: number,
  text = '',
  headers: Record<string, string> = {},
): undefined {
  response.writeHead(status, headers);
  response.end(text);
}
