/** `weft check`: the library of checks, and a check of it with its schedule and recipients. */
import type { Check, CheckTemplate } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWebhookSender } from "../../server/src/integrations/webhooks/sender.ts";
import { addConnection } from "../../server/test/support/canvases.ts";
import { TASKS } from "../../server/test/support/tasks.ts";
import { signIn, useCli } from "./support/cli.ts";

const CHECKS = "/api/checks/";
const GROUPS = "/api/controller/connection-groups/";
const webhooks = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
const cli = useCli({ deps: async () => ({ webhooks }) });
afterAll(() => webhooks.close());
let second: string;
beforeAll(async () => {
	second = await addConnection(cli.ada.api, cli.lab, { name: "fab-2" });
	for (const [name, connection_ids] of [
		["production", [cli.connection, second]],
		["empty", []],
	] as const) {
		const { status, text } = await cli.ada.api.post(GROUPS, { name, connection_ids });
		expect(status, text).toBe(201);
	}
});

const addCheck = (...args: string[]) => cli.weft("check", "add", ...args);

async function readAdded(...args: string[]): Promise<Check> {
	const { code, stdout, stderr } = await addCheck(...args, "--format", "json");
	expect(code, stderr).toBe(0);
	return JSON.parse(stdout);
}

describe("weft check templates", () => {
	it("lists the library, and finds templates by synonyms", async () => {
		const all: CheckTemplate[] = JSON.parse((await cli.weft("check", "templates", "--format", "json")).stdout);
		expect(all).toHaveLength((await cli.ada.api.get(`${CHECKS}templates/`)).body.count);
		const found = await cli.weft("check", "templates", "--search", "interface down");
		expect(found.stdout).toMatch(/^key +name +severity +type\n/);
		expect(found.stdout).toMatch(/^fabric-ports-up /m);
	});
});

describe("weft check add", () => {
	it("adds a check on the connections of a group with a schedule and recipients", async () => {
		const created = await cli.ada.api.post("/api/notifications/webhooks/", WEBHOOK);
		expect(created.status, created.text).toBe(201);
		const check = await readAdded(
			...["fabric-ports-up", "--connection", "fab-2", "--group", "production", "--every", "15m"],
			...["--notify-user", "ada", "--notify-webhook", "noc", "--notify-address", "ada@example.com"],
			...["--min-severity", "warning"],
		);
		expect(check).toMatchObject({
			controller_connection_ids: [second, cli.connection],
			is_watched: true,
			notify: {
				user_ids: [cli.ada.id],
				webhook_ids: [created.body.id],
				addresses: ["ada@example.com"],
				min_severity: "warning",
			},
		});
		const { body } = await cli.ada.api.get(`${TASKS}${check.schedules[0]?.id}/`);
		expect(body).toMatchObject({ frequency: "minutes", interval_minutes: 15 });
	});

	it("adds a check without a schedule, hourly and daily ones, and shows it as a table", async () => {
		expect(await readAdded("critical-faults")).toMatchObject({
			controller_connection_ids: [],
			schedules: [],
			notify: { user_ids: [cli.ada.id], webhook_ids: [], min_severity: "info" },
		});
		const hourly = await readAdded("fabric-health", "--connection", "fab-1", "--every", "hourly");
		expect(hourly.schedules).toMatchObject([{ frequency: "hourly" }]);
		const daily = await addCheck("backups-succeed", "--connection", "fab-1", "--every", "daily");
		expect(daily.code, daily.stderr).toBe(0);
		expect(daily.stdout).toMatch(/^watched +true$/m);
	});

	it("takes a number for a username before it takes it for an id, for an administrator", async () => {
		const numeric = await cli.t.user("10045", ["Admin"]);
		expect(await signIn(cli, cli.t.admin, "--profile", "root")).toMatchObject({ code: 0 });
		const readRecipients = async (name: string) => {
			const args = ["--profile", "root", "check", "add", "critical-faults", "--notify-user", name, "--format", "json"];
			const { code, stdout, stderr } = await cli.weft(...args);
			expect(code, stderr).toBe(0);
			return JSON.parse(stdout).notify.user_ids;
		};
		expect(await readRecipients("10045")).toEqual([numeric.id]);
		expect(await readRecipients(String(cli.t.admin.id))).toEqual([cli.t.admin.id]);
	});

	it("refuses what is unknown before anything is made", async () => {
		const before = (await cli.ada.api.get(CHECKS)).body.count;
		const refusals = [
			[["critical-fault"], 2, 'Did you mean "critical-faults"'],
			[["critical-faults", "--every", "7m"], 2, "Allowed choices are 5m, 10m, 15m, 20m, 30m, hourly, daily."],
			[["critical-faults", "--connection", "fab-9"], 2, 'There is no connection "fab-9"'],
			[["critical-faults", "--group", "empty"], 2, 'The group "empty" has no connection that you can see.'],
			[["critical-faults", "--notify-webhook", "pager"], 2, 'There is no webhook "pager"'],
			[["critical-faults", "--notify-user", "bob"], 3, "Only administrators find other users by name."],
			[["critical-faults", "--notify-user", "999999"], 2, "notify.user_ids: "],
		] as const;
		for (const [args, code, message] of refusals)
			expect(await addCheck(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
		expect((await cli.ada.api.get(CHECKS)).body.count).toBe(before);
	});
});

const WEBHOOK = { name: "noc", url: "http://127.0.0.1:9/noc", secret: "0123456789abcdef0123456789abcdef" };
