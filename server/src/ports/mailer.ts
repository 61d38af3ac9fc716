/** Outgoing mail. */
export interface Mail {
	/** Sender; the configured one where absent. */
	readonly from?: string;
	readonly to: string;
	readonly subject: string;
	readonly text: string;
	/** The same for each try of the same mail, so that repeats can be told; without angle brackets. */
	readonly messageId: string;
}

export interface Mailer {
	/** Resolves when the server has taken the mail. Rejects with `MailRefused` when trying again is pointless. */
	send(mail: Mail): Promise<void>;
	close(): Promise<void>;
}

/** The server will not take this mail, now or later. */
export class MailRefused extends Error {
	override readonly name = "MailRefused";
}
