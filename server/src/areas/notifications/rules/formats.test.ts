import { readFileSync } from "node:fs";
import { NOTIFICATION_EVENTS, webhookBody } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getBody, type Message } from "./formats.ts";

const ID = "01938c1e-0000-7000-8000-000000000000";
const timestamp = new Date("2026-01-15T10:00:00.000Z");
const SITE = "https://weft.example.com";

const createMessage = (data: Partial<Extract<Message, { type: "notification_created" }>["data"]> = {}): Message => ({
	id: ID,
	type: "notification_created",
	timestamp,
	data: {
		id: ID,
		category: "scheduled_task",
		severity: "error",
		title: "Nightly failed",
		body: "On fab-dc1: timed out.",
		link: "/api/queries/scheduled-executions/?task_id=1",
		created_at: timestamp.toISOString(),
		facts: null,
		...data,
	},
});
const { facts: _, ...jsonData } = createMessage().data as Extract<Message, { type: "notification_created" }>["data"];
const test: Message = { id: "test_1", type: "webhook_test", timestamp, data: { username: "a_da" } };
const parseBody = (...input: Parameters<typeof getBody>) => JSON.parse(getBody(...input));
const OPEN = `${SITE}/open?link=%2Fapi%2Fqueries%2Fscheduled-executions%2F%3Ftask_id%3D1`;
const buildMrkdwnText = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
const buildPlainText = (text: string) => ({ type: "plain_text", text, emoji: false });
/** A text of Slack that is shown as it is. */
const buildRichText = (text: string, more = {}) => ({
	type: "rich_text",
	elements: [{ type: "rich_text_section", elements: [{ type: "text", text, ...more }] }],
});
const buildBoldText = (text: string) => buildRichText(text, { style: { bold: true } });
const buildTeamsMessage = (body: unknown[], actions?: unknown[]) => ({
	type: "message",
	attachments: [
		{
			contentType: "application/vnd.microsoft.card.adaptive",
			content: {
				$schema: "http://adaptivecards.io/schemas/adaptive-card.json",
				type: "AdaptiveCard",
				version: "1.4",
				msteams: { width: "Full" },
				body,
				...(actions === undefined ? {} : { actions }),
			},
		},
	],
});
const buildTextBlock = (text: string, more = {}) => ({ type: "TextBlock", text, wrap: true, ...more });
const buildHeadingBlock = (text: string, color = "default") =>
	buildTextBlock(text, { weight: "Bolder", size: "Medium", color });
const buildSmallBlock = (text: string) => buildTextBlock(text, { isSubtle: true, size: "Small" });

describe("the document of webhooks", () => {
	const text = readFileSync(new URL("../../../../../docs/notifications.md", import.meta.url), "utf8");

	it("shows a body as it is sent", () => {
		const [, example = ""] = /```json\n(\{[\s\S]*?\n\})\n```/.exec(text) ?? [];
		const id = "01938c1e-0000-7000-8000-0000000000c1";
		const names = { kind: "check", id, name: "Uplinks", connection: "fab-dc1" };
		const sent = createMessage({
			severity: "warning",
			title: 'Check "Uplinks" is failing on fab-dc1',
			body: '"Uplinks" is failing: 2 violations',
			link: `/api/checks/${id}/`,
			facts: { event: "check_changed", actor: null, objects: [{ ...names, before: "ok", after: "failing" }] },
		});
		expect(getBody("json", sent, SITE)).toBe(JSON.stringify(JSON.parse(example)));
		expect(webhookBody.strict().safeParse(JSON.parse(example)).success).toBe(true);
	});

	it("names every event", () => {
		const rows = text.slice(text.indexOf("| `event` | `before`"));
		const named = [...rows.slice(0, rows.indexOf("\n\n")).matchAll(/^\|(.*?)\|/gm)]
			.flatMap(([, cell = ""]) => [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
			.filter((name) => name !== "event");
		expect(named.sort()).toEqual([...NOTIFICATION_EVENTS].sort());
	});

	it("names no page where there is no web interface, or no link", () => {
		expect(parseBody("json", createMessage(), "").data.url).toBeNull();
		expect(parseBody("json", createMessage({ link: "" }), SITE).data.url).toBeNull();
		expect(parseBody("json", createMessage(), SITE).data).toMatchObject({ link: jsonData.link, url: OPEN });
	});
});

describe("golden bodies", () => {
	it.each([
		[
			"json",
			"json",
			createMessage(),
			SITE,
			{
				type: "notification_created",
				timestamp: timestamp.toISOString(),
				data: { ...jsonData, url: OPEN, event: null, actor: null, objects: [] },
			},
		],
		["a json test", "json", test, SITE, { type: "webhook_test", timestamp: timestamp.toISOString(), data: test.data }],
		[
			"slack",
			"slack",
			createMessage(),
			SITE,
			{
				text: "Error: Nightly failed",
				mrkdwn: false,
				blocks: [
					buildBoldText("Error: Nightly failed"),
					buildRichText("On fab-dc1: timed out."),
					{
						type: "context",
						elements: [
							buildPlainText("scheduled_task · 2026-01-15 10:00 UTC"),
							buildMrkdwnText(`<${OPEN}|Open in Weft>`),
						],
					},
				],
			},
		],
		[
			"slack without a front end",
			"slack",
			createMessage({ severity: "info", body: "" }),
			"",
			{
				text: "Nightly failed",
				mrkdwn: false,
				blocks: [
					buildBoldText("Nightly failed"),
					{
						type: "context",
						elements: [
							buildPlainText("scheduled_task · 2026-01-15 10:00 UTC · /api/queries/scheduled-executions/?task_id=1"),
						],
					},
				],
			},
		],
		[
			"a slack test",
			"slack",
			test,
			SITE,
			{
				text: "A test from Weft",
				mrkdwn: false,
				blocks: [
					buildBoldText("A test from Weft"),
					buildRichText("a_da sent this test. Notifications will look like it."),
					{ type: "context", elements: [buildPlainText("2026-01-15 10:00 UTC")] },
				],
			},
		],
		[
			"teams",
			"teams",
			createMessage(),
			SITE,
			buildTeamsMessage(
				[
					buildHeadingBlock("Error: Nightly failed", "attention"),
					buildTextBlock("On fab-dc1: timed out."),
					buildSmallBlock("scheduled\\_task · 2026-01-15 10:00 UTC"),
				],
				[{ type: "Action.OpenUrl", title: "Open in Weft", url: OPEN }],
			),
		],
		[
			"teams without body and link",
			"teams",
			createMessage({ severity: "warning", body: "", link: "" }),
			SITE,
			buildTeamsMessage([
				buildHeadingBlock("Warning: Nightly failed", "warning"),
				buildSmallBlock("scheduled\\_task · 2026-01-15 10:00 UTC"),
			]),
		],
		[
			"a teams test",
			"teams",
			test,
			SITE,
			buildTeamsMessage([
				buildHeadingBlock("A test from Weft"),
				buildTextBlock("a\\_da sent this test. Notifications will look like it."),
				buildSmallBlock("2026-01-15 10:00 UTC"),
			]),
		],
	] as const)("%s", (_name, format, message, site, expected) =>
		expect(parseBody(format, message, site)).toEqual(expected),
	);
});

describe("text of users is never interpreted", () => {
	it.each([
		["<!channel> & <@U1> <https://x|y>", "&lt;!channel&gt; &amp; &lt;@U1&gt; &lt;https://x|y&gt;"],
		["&amp; stays", "&amp;amp; stays"],
		["*a* _b_ `c` ~d~ :smile:", "*a* _b_ `c` ~d~ :smile:"],
	])("slack: %s", (text, escaped) => {
		const message = parseBody("slack", createMessage({ title: text, body: text, severity: "info" }), "");
		expect(message).toMatchObject({ text: escaped, mrkdwn: false });
		expect(message.blocks.slice(0, 2)).toEqual([buildBoldText(text), buildRichText(text)]);
	});

	it.each([
		["[a](https://x) **b** _c_ `d` ~e~", "\\[a\\](https://x) \\*\\*b\\*\\* \\_c\\_ \\`d\\` \\~e\\~"],
		["<at>all</at> &lt;", "\\<at\\>all\\</at\\> \\&lt;"],
		["{{DATE(2017-02-14T06:00:00Z)}}", "\\{\\{DATE(2017-02-14T06:00:00Z)\\}\\}"],
		["C:\\n", "C:\\\\n"],
		["# a\n- b\n  + c\n1. d\n2) e", "\\# a\n\n\\- b\n\n  \\+ c\n\n1\\. d\n\n2\\) e"],
		["uni/tn-a/BD-b.c is 10.0.0.1", "uni/tn-a/BD-b.c is 10.0.0.1"],
	])("teams: %s", (text, escaped) => {
		const [, body] = parseBody("teams", createMessage({ body: text }), "").attachments[0].content.body;
		expect(body.text).toBe(escaped);
	});
});

describe("limits of the receivers", () => {
	interface Element {
		readonly text?: string;
		readonly elements?: readonly Element[];
	}
	const texts = ({ blocks }: { blocks: readonly Element[] }): string[] => blocks.flatMap(readTexts);
	const readTexts = ({ text, elements = [] }: Element): string[] => [
		...(text === undefined ? [] : [text]),
		...elements.flatMap(readTexts),
	];
	const shown = (body: string) =>
		texts(parseBody("slack", createMessage({ body }), ""))
			.slice(1, -1)
			.join("");

	it("a long text of Slack is cut into blocks, after lines where it can be", () => {
		const lines = `${"x".repeat(99)}\n`.repeat(70);
		const message = parseBody("slack", createMessage({ body: lines }), "");
		expect(
			texts(message)
				.slice(1, -1)
				.map(({ length }) => length),
		).toEqual([3_000, 3_000, 1_000]);
		expect(shown(`${"x".repeat(2_990)}\n${"y".repeat(100)}`)).toBe(`${"x".repeat(2_990)}\n${"y".repeat(100)}`);
	});

	it("what is too long ends with an ellipsis", () => {
		expect(shown("&".repeat(12_000))).toMatch(/^&+…$/);
		const [, body] = parseBody("teams", createMessage({ body: "\u0001".repeat(8_000) }), "").attachments[0].content
			.body;
		expect(body.text.endsWith("\u0001…")).toBe(true);
	});

	it("hold for every text", () => {
		const any = (maxLength: number) =>
			fc.oneof(
				fc.string({ unit: "binary", maxLength }),
				fc.string({ unit: fc.constantFrom("&", "<", "\n", '"', "\u0001", "*", "🙂", "漢", " "), maxLength }),
				fc.string({ unit: fc.constantFrom("&", "\u0001", '"', "漢"), minLength: maxLength / 2, maxLength }),
			);
		fc.assert(
			fc.property(any(300), any(8_000), (title, body) => {
				const slack = getBody("slack", createMessage({ title, body }), SITE);
				const message = JSON.parse(slack);
				expect(message.blocks.length).toBeLessThanOrEqual(50);
				for (const text of texts(message)) {
					expect(text.length).toBeGreaterThan(0);
					expect(text.length).toBeLessThanOrEqual(3_000);
					expect(text.isWellFormed()).toBe(true);
				}
				expect(JSON.stringify(message.blocks).length).toBeLessThanOrEqual(12_000);
				// The receiver counts the card as a text inside of JSON.
				const card = JSON.stringify(getBody("teams", createMessage({ title, body }), SITE));
				expect(Buffer.byteLength(card)).toBeLessThanOrEqual(28 * 1024);
			}),
			{ numRuns: 60 },
		);
	});
});
