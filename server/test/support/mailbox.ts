/** A mailer that stores its mails in a list. */
import type { Mail, Mailer } from "../../src/integrations/smtp/port.ts";

export function createMailbox(): { readonly sent: Mail[]; readonly mailer: Mailer } {
	const sent: Mail[] = [];
	return {
		sent,
		mailer: {
			async send(mail) {
				sent.push(mail);
			},
			async close() {},
		},
	};
}
