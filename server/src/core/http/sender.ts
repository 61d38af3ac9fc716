/** Sends answers. */
import type { FastifyReply } from "fastify";

export type Sent = { readonly status: number; readonly body: unknown } & SendOptions;

export interface SendOptions {
	readonly headers?: Record<string, string>;
	/**
	 * The body is text, bytes or a stream that is sent unchanged; its content type is in `headers`.
	 */
	readonly sendAsIs?: boolean;
}

export type SendSoon = (reply: FastifyReply, answer: Sent) => void;

/**
 * Sends all answers of one turn of the event loop together at its end. Waking the reader costs more
 * than all checks of a request: a reader that is busy with the first answer need not be woken for
 * the others.
 */
export function createSender(): SendSoon {
	let answered: { readonly reply: FastifyReply; readonly answer: Sent }[] = [];
	function sendAll(): void {
		const all = answered;
		answered = [];
		for (const { reply, answer } of all) {
			try {
				sendAnswer(reply, answer);
			} catch (error) {
				reply.send(error);
			}
		}
	}
	return (reply, answer) => {
		if (answered.push({ reply, answer }) === 1) setImmediate(sendAll);
	};
}

function sendAnswer(reply: FastifyReply, answer: Sent): void {
	reply.status(answer.status);
	if (answer.headers) reply.headers(answer.headers);
	if (answer.sendAsIs) reply.send(answer.body);
	else if (answer.body === undefined) reply.send();
	else {
		reply.header("content-type", "application/json; charset=utf-8");
		reply.send(JSON.stringify(answer.body));
	}
}
