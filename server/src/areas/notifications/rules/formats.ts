/**
 * Bodies of webhooks: Weft's JSON, Slack messages (Block Kit), and Adaptive Cards of Microsoft
 * Teams. Text of users is plain or escaped, so that it is shown and never interpreted.
 */
import type { Notification, NotificationFacts, WebhookBody, WebhookFormat } from "@weft/contracts";
import { buildOpenLink, MARK } from "./mails.ts";
import { clipText } from "./text.ts";

type Told = Omit<Notification, "read_at"> & {
	/** Null: written by the previous version. */
	readonly facts: NotificationFacts | null;
};

export type Message = {
	/** The receiver tells repeats by it. */
	readonly id: string;
	readonly timestamp: Date;
} & (
	| { readonly type: "notification_created"; readonly data: Told }
	| { readonly type: "webhook_test"; readonly data: { readonly username: string } }
);

/** Characters of one text in a block of Slack. */
const SLACK_TEXT = 3_000;
/** Characters of all blocks as JSON. Slack documents none and refuses about 13,000. */
const SLACK_BLOCKS = 12_000;
/** Bytes of a message to Teams as a text in JSON, as it counts them: about 28 KB. */
const TEAMS_BYTES = 27_000;

interface Notice {
	/** One line. */
	readonly title: string;
	readonly body: string;
	/** Category and time. */
	readonly footer: string;
	readonly color: "default" | "warning" | "attention";
	/** Null: there is none that a browser could open. */
	readonly url: string | null;
}

const COLORS = { info: "default", warning: "warning", error: "attention" } as const;

function buildNotice({ timestamp, ...message }: Message, frontendUrl: string): Notice {
	const time = `${timestamp.toISOString().slice(0, 16).replace("T", " ")} UTC`;
	if (message.type === "webhook_test") {
		const body = `${message.data.username} sent this test. Notifications will look like it.`;
		return { title: "A test from Weft", body, footer: time, color: "default", url: null };
	}
	const { category, severity, title, body, link } = message.data;
	const url = getPageUrl(link, frontendUrl);
	return {
		title: MARK[severity] + title,
		body,
		footer: [category, time, ...(url !== null || link === "" ? [] : [link])].join(" · "),
		color: COLORS[severity],
		url,
	};
}

/** The largest message whose body fits. */
function fitMessage<T>(body: string, build: (body: string) => T, fits: (message: T) => boolean): T {
	const whole = build(body);
	if (fits(whole)) return whole;
	let [low, high] = [1, body.length];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (fits(build(clipText(body, middle)))) low = middle;
		else high = middle - 1;
	}
	return build(clipText(body, low));
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
/** https://docs.slack.dev/messaging/formatting-message-text */
const escapeSlack = (text: string): string => text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char);

/** Texts of at most 3,000 characters, cut after a line if one ends in the second half. */
function buildSlackTexts(text: string): string[] {
	const texts: string[] = [];
	let current = "";
	for (const char of text) {
		if (current.length + char.length > SLACK_TEXT) {
			const lineEnd = current.lastIndexOf("\n") + 1;
			const cut = lineEnd > SLACK_TEXT / 2 ? lineEnd : current.length;
			texts.push(current.slice(0, cut));
			current = current.slice(cut);
		}
		current += char;
	}
	return [...texts, current].filter((part) => part.trim() !== "");
}

/**
 * A text that is shown as it is.
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
const buildRichText = (text: string, more: Readonly<Record<string, unknown>> = {}) => ({
	type: "rich_text",
	elements: [{ type: "rich_text_section", elements: [{ type: "text", text, ...more }] }],
});

function buildSlackMessage({ title, body, footer, url }: Notice) {
	const context = {
		type: "context",
		elements: [
			{ type: "plain_text", text: footer, emoji: false },
			...(url === null ? [] : [{ type: "mrkdwn", text: `<${url}|Open in Weft>`, verbatim: true }]),
		],
	};
	const blocks = [
		buildRichText(title, { style: { bold: true } }),
		...buildSlackTexts(body).map((text) => buildRichText(text)),
		context,
	];
	return { text: escapeSlack(title), mrkdwn: false, blocks };
}

/**
 * Escapes Markdown (https://spec.commonmark.org/0.31.2/#backslash-escapes) and the date functions
 * of Adaptive Cards. Each line becomes a paragraph; Teams joins single lines.
 */
const escapeTeams = (text: string): string =>
	text
		.replace(/[\\`*_[\]{}<>&~|]/g, "\\$&")
		// Spaces that end no line: across lines, the search would take quadratic time.
		.replace(/^([^\S\n\r\u2028\u2029]*)([#+-])/gm, "$1\\$2")
		.replace(/^([^\S\n\r\u2028\u2029]*\d+)([.)])/gm, "$1\\$2")
		.replace(/\n+/g, "\n\n");

function buildTeamsMessage({ title, body, footer, color, url }: Notice) {
	const block = (text: string, more: Readonly<Record<string, unknown>>) => ({
		type: "TextBlock",
		text: escapeTeams(text),
		wrap: true,
		...more,
	});
	const content = {
		$schema: "http://adaptivecards.io/schemas/adaptive-card.json",
		type: "AdaptiveCard",
		version: "1.4",
		msteams: { width: "Full" },
		body: [
			block(title, { weight: "Bolder", size: "Medium", color }),
			...(body === "" ? [] : [block(body, {})]),
			block(footer, { isSubtle: true, size: "Small" }),
		],
		...(url === null ? {} : { actions: [{ type: "Action.OpenUrl", title: "Open in Weft", url }] }),
	};
	return { type: "message", attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }] };
}

/** The address of a page of the web interface; null where there is none. */
const getPageUrl = (link: string, frontendUrl: string): string | null =>
	link === "" || frontendUrl === "" ? null : buildOpenLink(link, frontendUrl);

function buildJson(message: Message, frontendUrl: string): object {
	const { type, timestamp } = message;
	if (message.type === "webhook_test") return { type, timestamp: timestamp.toISOString(), data: message.data };
	const { facts, ...data } = message.data;
	const known = facts ?? { event: null, actor: null, objects: [] };
	return {
		type: message.type,
		timestamp: timestamp.toISOString(),
		data: { ...data, url: getPageUrl(data.link, frontendUrl), ...known },
	} satisfies WebhookBody;
}

/** @param frontendUrl empty where there is none: then a link is shown as the path that it is */
export function getBody(format: WebhookFormat, message: Message, frontendUrl: string): string {
	if (format === "json") return JSON.stringify(buildJson(message, frontendUrl));
	const notice = buildNotice(message, frontendUrl);
	if (format === "slack") {
		const build = (body: string) => buildSlackMessage({ ...notice, body });
		return JSON.stringify(
			fitMessage(notice.body, build, ({ blocks }) => JSON.stringify(blocks).length <= SLACK_BLOCKS),
		);
	}
	const build = (body: string) => buildTeamsMessage({ ...notice, body });
	return JSON.stringify(
		fitMessage(notice.body, build, (card) => Buffer.byteLength(JSON.stringify(JSON.stringify(card))) <= TEAMS_BYTES),
	);
}
