/** The words of mails. */
import type { Severity } from "@weft/contracts";
import { DateTime } from "luxon";
import { clipText } from "./text.ts";

export interface Words {
	readonly subject: string;
	readonly text: string;
}

interface MailedNotification {
	readonly severity: Severity;
	readonly title: string;
	readonly body: string;
	readonly link: string;
	readonly created_at: Date;
}

const WHY = "You get this because mail is switched on in your notification preferences.";
/** Of one digest; more are counted. */
const LISTED = 200;
const BODY = 1_000;

/** A link names what the API calls it; the web interface knows which of its screens shows that. */
export const buildOpenLink = (link: string, frontendUrl: string): string =>
	link === "" || frontendUrl === "" ? link : `${frontendUrl}/open?link=${encodeURIComponent(link)}`;

export const MARK: Readonly<Record<Severity, string>> = { info: "", warning: "Warning: ", error: "Error: " };

/** @param frontendUrl empty where there is none: then a link is shown as the path that it is */
export function buildOneMail({ severity, title, body, link }: MailedNotification, frontendUrl: string): Words {
	const parts = [body, buildOpenLink(link, frontendUrl), `-- \n${WHY}`];
	return { subject: MARK[severity] + title, text: `${parts.filter((part) => part !== "").join("\n\n")}\n` };
}

/** @param sender username of the person who has named the address */
export function buildAddressMail(mailed: MailedNotification, sender: string, frontendUrl: string): Words {
	const { subject, text } = buildOneMail(mailed, frontendUrl);
	const why = `You get this because ${sender} named your address as a recipient. Ask ${sender} to leave it out.`;
	return { subject, text: text.replace(WHY, () => why) };
}

/** One mail about several, oldest first; times are of the reader's zone. */
export function digestMail(all: readonly MailedNotification[], timezone: string, frontendUrl: string): Words {
	const listed = all.slice(0, LISTED).map(({ severity, title, body, link, created_at }) => {
		const time = DateTime.fromJSDate(created_at, { zone: timezone }).toFormat("yyyy-MM-dd HH:mm");
		const lines = [clipText(body, BODY), buildOpenLink(link, frontendUrl)].filter((line) => line !== "");
		return [
			`${time}  ${MARK[severity]}${title}`,
			...lines.flatMap((text) => text.split("\n")).map((line) => `    ${line}`),
		];
	});
	const more = all.length - listed.length;
	const parts = listed.map((lines) => lines.join("\n"));
	if (more > 0) parts.push(`… and ${more} more, which are in your list of notifications.`);
	return {
		subject: `Weft: ${all.length} ${all.length === 1 ? "notification" : "notifications"}`,
		text: `${[...parts, `-- \n${WHY}`].join("\n\n")}\n`,
	};
}
