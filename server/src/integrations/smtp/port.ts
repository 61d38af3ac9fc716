/** Outgoing mail. */
export interface Mail {
	/** Sender; the configured one where absent. */
	readonly from?: string;
	readonly to: string;
	readonly subject: string;
	readonly text: string;
	/** Equal for all attempts of one mail, so that repeats are detected; without angle brackets. */
	readonly messageId: string;
}

export interface Mailer {
	/**
	 * Resolves when the server accepted the mail. Rejects with `MailRefused` if a retry is pointless.
	 */
	send(mail: Mail): Promise<void>;
	close(): Promise<void>;
}

/** The server will not take this mail, now or later. */
export class MailRefused extends Error {
	override readonly name = "MailRefused";
}
