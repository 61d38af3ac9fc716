/** The mails that identity sends: what is queued of them, and their words. */

export const MAIL_QUEUE = "auth.mail";

/** What a queued mail is made from; the link itself is not in it. */
export type MailJob =
	| { readonly kind: "password_reset"; readonly tokenId: string; readonly email: string }
	| {
			readonly kind: "email_verification";
			readonly tokenId: string;
			readonly mailId: string;
			/** Where the service is reached. */
			readonly base: string;
	  };

interface Words {
	readonly subject: string;
	readonly text: string;
}

/** @param frontendUrl empty where there is no front end: then the mail says what to do with the token itself */
export function resetMail(username: string, token: string, frontendUrl: string): Words {
	const how = frontendUrl
		? `Open this address within one hour to choose a new one:\n\n${frontendUrl}/reset-password?token=${encodeURIComponent(token)}`
		: `Send this token with a new one to /api/auth/password-reset/confirm/ within one hour:\n\n${token}`;
	return {
		subject: "Your password for Weft",
		text: `Hello ${username},\n\nsomebody asked for a new password for your account.\n\n${how}\n\nIt works once. If that was not you, nothing has changed, and you need not do anything.\n`,
	};
}

/** @param base where the service is reached */
export function verificationMail(username: string, token: string, base: string): Words {
	const link = `${base}/api/auth/email/verify/?token=${encodeURIComponent(token)}`;
	return {
		subject: "Verify your email address for Weft",
		text: `Hello ${username},\n\nopen this address within 24 hours to show that this mailbox is yours:\n\n${link}\n\nIf you have no account, somebody gave your address by mistake; ignore this mail.\n`,
	};
}
