/** A real SMTP server of a test's own. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { createSmtpMailer } from "../../src/integrations/smtp/smtp.ts";

interface ReceivedMail {
	readonly to: string[];
	readonly subject: string;
	readonly messageId: string;
	/** Head and body as they came. */
	readonly raw: string;
	readonly body: string;
}

export interface MailSink {
	readonly received: ReceivedMail[];
	/** Address of the sink, as `WEFT_SMTP_URL` takes it. */
	readonly url: string;
	/** Sends to it. */
	readonly mailer: ReturnType<typeof createSmtpMailer>;
	/** Code of the sink's next answers to recipients; 250 accepts the mail. */
	answer: number;
	/** How many recipients were named so far. */
	readonly tries: () => number;
	close(): Promise<void>;
}

export async function startMailSink(): Promise<MailSink> {
	const received: ReceivedMail[] = [];
	let tries = 0;
	const state = { answer: 250 };
	const server = new SMTPServer({
		hideSTARTTLS: true,
		authOptional: true,
		logger: false,
		onRcptTo: (_address, _session, done) => {
			tries++;
			done(state.answer === 250 ? null : Object.assign(new Error("not now"), { responseCode: state.answer }));
		},
		onData: (stream, session, done) => {
			const parts: Buffer[] = [];
			stream.on("data", (part: Buffer) => parts.push(part));
			stream.on("end", () => {
				const raw = Buffer.concat(parts).toString();
				const header = (name: string) =>
					new RegExp(`^${name}: (.*)$`, "im").exec(raw.replace(/\r\n[ \t]+/g, " "))?.[1]?.trim() ?? "";
				received.push({
					raw,
					subject: header("Subject"),
					messageId: header("Message-ID"),
					to: session.envelope.rcptTo.map(({ address }) => address),
					body: raw.slice(raw.indexOf("\r\n\r\n") + 4),
				});
				done();
			});
		},
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
	const { port } = server.server.address() as AddressInfo;
	const url = `smtp://127.0.0.1:${port}`;
	const mailer = createSmtpMailer({ url, from: "weft@example.com" });
	return Object.assign(state, {
		url,
		received,
		mailer,
		tries: () => tries,
		async close() {
			await mailer.close();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	});
}
