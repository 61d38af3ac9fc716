/** Mail through an SMTP server. */
import { createTransport } from "nodemailer";
import { type Mailer, MailRefused } from "./port.ts";

interface SmtpOptions {
	/** `smtp://user:password@host:587` (STARTTLS where the server offers it) or `smtps://…`. */
	readonly url: string;
	/** Sender of mails that name none. */
	readonly from: string;
}

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
const CONNECTIONS = 2;

export function createSmtpMailer({ url, from }: SmtpOptions): Mailer {
	const { protocol, hostname, port, username, password, searchParams } = new URL(url);
	const secure = protocol === "smtps:";
	const transport = createTransport({
		host: hostname.replace(/^\[|\]$/g, ""),
		port: port === "" ? (secure ? 465 : 587) : Number(port),
		secure,
		requireTLS: searchParams.get("requireTLS") === "true",
		...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
		pool: true,
		maxConnections: CONNECTIONS,
		connectionTimeout: CONNECT_MS,
		greetingTimeout: CONNECT_MS,
		socketTimeout: SILENCE_MS,
		// The content of a mail must not make this service read a file or a URL.
		disableFileAccess: true,
		disableUrlAccess: true,
	});

	return {
		async send(mail) {
			try {
				await transport.sendMail({
					from: mail.from ?? from,
					to: { name: "", address: mail.to },
					subject: mail.subject,
					text: mail.text,
					messageId: `<${mail.messageId}>`,
					headers: { "Auto-Submitted": "auto-generated" },
				});
			} catch (error) {
				throw isFinal(error) ? new MailRefused((error as Error).message) : error;
			}
		},
		async close() {
			transport.close();
		},
	};
}

/**
 * Whether the server rejects this mail for good (5xx); a failed login may be fixed by the
 * administrator.
 */
function isFinal(error: unknown): boolean {
	const { code, responseCode } = error as { code?: string; responseCode?: number };
	return code !== "EAUTH" && responseCode !== undefined && responseCode >= 500 && responseCode < 600;
}
