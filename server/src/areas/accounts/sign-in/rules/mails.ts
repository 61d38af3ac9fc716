/** Mails about accounts: the data of the queue task, and the texts. */

export const MAIL_QUEUE = "auth.mail";

/** The data of a queue task; without the link, which is a secret. */
export type MailJob =
	| { readonly kind: "password_reset"; readonly tokenId: string; readonly email: string }
	| {
			readonly kind: "email_verification";
			readonly tokenId: string;
			readonly mailId: string;
	  }
	| { readonly kind: "invitation"; readonly invitationId: string }
	/** To the address before the change. */
	| { readonly kind: "email_changed"; readonly mailId: string; readonly to: string; readonly username: string };

interface Words {
	readonly subject: string;
	readonly text: string;
}

/** @param frontendUrl empty without a front end: the mail then explains how to send the token */
export function buildResetMail(username: string, token: string, frontendUrl: string): Words {
	const how = frontendUrl
		? `Open this address within one hour to choose a new one:\n\n${frontendUrl}/reset-password?token=${encodeURIComponent(token)}`
		: `Send this token with a new one to /api/auth/password-reset/confirm/ within one hour:\n\n${token}`;
	return {
		subject: "Your password for Weft",
		text: [
			`Hello ${username},`,
			"a new password was requested for your account.",
			how,
			"It works once. If that was not you, nothing has changed, and you need not do anything.\n",
		].join("\n\n"),
	};
}

export function buildInvitationMail(username: string, url: string): Words {
	return {
		subject: "Your account for Weft",
		text: [
			"Hello,",
			`you have an account for Weft with the name ${username}. Open this address within 7 days to choose a password:`,
			url,
			"It works once.\n",
		].join("\n\n"),
	};
}

export function buildEmailChangedMail(username: string): Words {
	return {
		subject: "Your email address for Weft was changed",
		text: [
			`Hello ${username},`,
			"your account has another email address now; this one gets no more mail about it.",
			"If that was not you, inform an administrator of Weft.\n",
		].join("\n\n"),
	};
}

export function buildVerificationMail(username: string, token: string, frontendUrl: string): Words {
	const link = `${frontendUrl}/api/auth/email/verify/?token=${encodeURIComponent(token)}`;
	return {
		subject: "Verify your email address for Weft",
		text: [
			`Hello ${username},`,
			"open this address within 24 hours to show that this mailbox is yours:",
			link,
			"If you have no account, your address was given by mistake; ignore this mail.\n",
		].join("\n\n"),
	};
}
