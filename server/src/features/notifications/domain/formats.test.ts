import { readFileSync } from "node:fs";
import { NOTIFICATION_EVENTS, webhookBody } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getBody, type Message } from "./formats.ts";

const ID = "01938c1e-0000-7000-8000-000000000000";
const timestamp = new Date("2026-01-15T10:00:00.000Z");
const SITE = "https://weft.example.com";

const told = (data: Partial<Extract<Message, { type: "notification_created" }>["data"]> = {}): Message => ({
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
const { facts: _, ...jsonData } = told().data as Extract<Message, { type: "notification_created" }>["data"];
const test: Message = { id: "test_1", type: "webhook_test", timestamp, data: { username: "a_da" } };
const parsed = (...input: Parameters<typeof getBody>) => JSON.parse(getBody(...input));
const OPEN = `${SITE}/open?link=%2Fapi%2Fqueries%2Fscheduled-executions%2F%3Ftask_id%3D1`;
const mrkdwn = (text: string) => ({ type: "mrkdwn", text, verbatim: true });
const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
/** A text of Slack that is shown as it is. */
const rich = (text: string, more = {}) => ({
	type: "rich_text",
	elements: [{ type: "rich_text_section", elements: [{ type: "text", text, ...more }] }],
});
const bold = (text: string) => rich(text, { style: { bold: true } });
const teams = (body: unknown[], actions?: unknown[]) => ({
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
const block = (text: string, more = {}) => ({ type: "TextBlock", text, wrap: true, ...more });
const heading = (text: string, color = "default") => block(text, { weight: "Bolder", size: "Medium", color });
const small = (text: string) => block(text, { isSubtle: true, size: "Small" });

describe("the document of webhooks", () => {
	const text = readFileSync(new URL("../../../../../docs/notifications.md", import.meta.url), "utf8");

	it("shows a body as it is sent", () => {
		const [, example = ""] = /```json\n(\{[\s\S]*?\n\})\n```/.exec(text) ?? [];
		const id = "01938c1e-0000-7000-8000-0000000000c1";
		const names = { kind: "check", id, name: "Uplinks", connection: "fab-dc1" };
		const sent = told({
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
		expect(parsed("json", told(), "").data.url).toBeNull();
		expect(parsed("json", told({ link: "" }), SITE).data.url).toBeNull();
		expect(parsed("json", told(), SITE).data).toMatchObject({ link: jsonData.link, url: OPEN });
	});
});

describe("golden bodies", () => {
	it.each([
		[
			"json",
			"json",
			told(),
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
			told(),
			SITE,
			{
				text: "Error: Nightly failed",
				mrkdwn: false,
				blocks: [
					bold("Error: Nightly failed"),
					rich("On fab-dc1: timed out."),
					{
						type: "context",
						elements: [plain("scheduled_task · 2026-01-15 10:00 UTC"), mrkdwn(`<${OPEN}|Open in Weft>`)],
					},
				],
			},
		],
		[
			"slack without a front end",
			"slack",
			told({ severity: "info", body: "" }),
			"",
			{
				text: "Nightly failed",
				mrkdwn: false,
				blocks: [
					bold("Nightly failed"),
					{
						type: "context",
						elements: [plain("scheduled_task · 2026-01-15 10:00 UTC · /api/queries/scheduled-executions/?task_id=1")],
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
					bold("A test from Weft"),
					rich("a_da sent this test. Notifications will look like it."),
					{ type: "context", elements: [plain("2026-01-15 10:00 UTC")] },
				],
			},
		],
		[
			"teams",
			"teams",
			told(),
			SITE,
			teams(
				[
					heading("Error: Nightly failed", "attention"),
					block("On fab-dc1: timed out."),
					small("scheduled\\_task · 2026-01-15 10:00 UTC"),
				],
				[{ type: "Action.OpenUrl", title: "Open in Weft", url: OPEN }],
			),
		],
		[
			"teams without body and link",
			"teams",
			told({ severity: "warning", body: "", link: "" }),
			SITE,
			teams([heading("Warning: Nightly failed", "warning"), small("scheduled\\_task · 2026-01-15 10:00 UTC")]),
		],
		[
			"a teams test",
			"teams",
			test,
			SITE,
			teams([
				heading("A test from Weft"),
				block("a\\_da sent this test. Notifications will look like it."),
				small("2026-01-15 10:00 UTC"),
			]),
		],
	] as const)("%s", (_name, format, message, site, expected) =>
		expect(parsed(format, message, site)).toEqual(expected),
	);
});

describe("text of users is never interpreted", () => {
	it.each([
		["<!channel> & <@U1> <https://x|y>", "&lt;!channel&gt; &amp; &lt;@U1&gt; &lt;https://x|y&gt;"],
		["&amp; stays", "&amp;amp; stays"],
		["*a* _b_ `c` ~d~ :smile:", "*a* _b_ `c` ~d~ :smile:"],
	])("slack: %s", (text, escaped) => {
		const message = parsed("slack", told({ title: text, body: text, severity: "info" }), "");
		expect(message).toMatchObject({ text: escaped, mrkdwn: false });
		expect(message.blocks.slice(0, 2)).toEqual([bold(text), rich(text)]);
	});

	it.each([
		["[a](https://x) **b** _c_ `d` ~e~", "\\[a\\](https://x) \\*\\*b\\*\\* \\_c\\_ \\`d\\` \\~e\\~"],
		["<at>all</at> &lt;", "\\<at\\>all\\</at\\> \\&lt;"],
		["{{DATE(2017-02-14T06:00:00Z)}}", "\\{\\{DATE(2017-02-14T06:00:00Z)\\}\\}"],
		["C:\\n", "C:\\\\n"],
		["# a\n- b\n  + c\n1. d\n2) e", "\\# a\n\n\\- b\n\n  \\+ c\n\n1\\. d\n\n2\\) e"],
		["uni/tn-a/BD-b.c is 10.0.0.1", "uni/tn-a/BD-b.c is 10.0.0.1"],
	])("teams: %s", (text, escaped) => {
		const [, body] = parsed("teams", told({ body: text }), "").attachments[0].content.body;
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
		texts(parsed("slack", told({ body }), ""))
			.slice(1, -1)
			.join("");

	it("a long text of Slack is cut into blocks, after lines where it can be", () => {
		const lines = `${"x".repeat(99)}\n`.repeat(70);
		const message = parsed("slack", told({ body: lines }), "");
		expect(
			texts(message)
				.slice(1, -1)
				.map(({ length }) => length),
		).toEqual([3_000, 3_000, 1_000]);
		expect(shown(`${"x".repeat(2_990)}\n${"y".repeat(100)}`)).toBe(`${"x".repeat(2_990)}\n${"y".repeat(100)}`);
	});

	it("what is too long ends with an ellipsis", () => {
		expect(shown("&".repeat(12_000))).toMatch(/^&+…$/);
		const [, body] = parsed("teams", told({ body: "\u0001".repeat(8_000) }), "").attachments[0].content.body;
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
				const slack = getBody("slack", told({ title, body }), SITE);
				const message = JSON.parse(slack);
				expect(message.blocks.length).toBeLessThanOrEqual(50);
				for (const text of texts(message)) {
					expect(text.length).toBeGreaterThan(0);
					expect(text.length).toBeLessThanOrEqual(3_000);
					expect(text.isWellFormed()).toBe(true);
				}
				expect(JSON.stringify(message.blocks).length).toBeLessThanOrEqual(12_000);
				// The receiver counts the card as a text inside of JSON.
				const card = JSON.stringify(getBody("teams", told({ title, body }), SITE));
				expect(Buffer.byteLength(card)).toBeLessThanOrEqual(28 * 1024);
			}),
			{ numRuns: 60 },
		);
	});
});
