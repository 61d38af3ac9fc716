/** Results of Cisco's pre-upgrade validation script as evidence of a change window. */
import { EVIDENCE_LIMITS } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import {
	buildMetaFile,
	buildObjectFile,
	buildRuleFile,
	buildSummaryFile,
} from "../../src/areas/windows/rules/evidence.fixture.ts";
import type { Api } from "../support/harness.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, read, writeDomain } = windows;

const PASSED = buildRuleFile("cluster_check", { name: "Cluster" });
const FAILED = buildRuleFile("vlan_check", {
	name: "Overlapping VLANs",
	severity: "critical",
	ruleStatus: "failed",
	reason: "See Failure Details.",
	recommended_action: "Resolve them",
	failureDetails: { failType: "FAIL - OUTAGE WARNING!!", header: ["Tenant"], data: [{ Tenant: "prod" }] },
});
const RUN = [PASSED, FAILED, buildMetaFile({ total_checks: 2 })];

const getPath = (id: string) => `${WINDOWS}${id}/evidence/`;
const attachFiles = (id: string, body: object = { files: RUN }, api: Api = windows.ada.api) =>
	api.post(getPath(id), body);
const listSets = async (id: string, api: Api = windows.ada.api) => (await api.get(getPath(id))).body;
/** A summary of its own for each number. */
const buildRun = (checks: number) => ({ files: [buildSummaryFile({ PASS: checks, TOTAL: checks })] });

async function listEvents(id: string) {
	const { body } = await windows.ada.api.get(`${WINDOWS}${id}/events/`);
	return body.results.map(({ event, user, detail }: Record<string, string>) => ({ event, user, detail }));
}

describe("evidence of a change window", () => {
	it.each([
		["a file for each check", RUN, { format: "checks", complete: true, release: "6.0(9c)" }],
		[
			"objects of the controller",
			[buildObjectFile("a", {}), buildObjectFile("b", { passed: false })],
			{ complete: null },
		],
		["a summary", [buildSummaryFile({ PASS: 1, "ERROR !!": 1, TOTAL: 2 })], { format: "summary", checks: [] }],
	])("reads evidence from %s, with counts and checks", async (_, files, expected) => {
		const { id } = await window();
		const made = await attachFiles(id, { files });
		expect(made.status, made.text).toBe(201);
		expect(made.body).toMatchObject({
			connection_id: windows.connection,
			attached_by: "ada",
			late: false,
			files: files.length,
			total: 2,
			counts: { passed: 1 },
			...expected,
		});
		expect(await listSets(id)).toEqual({ count: 1, next: null, previous: null, results: [made.body] });
	});

	it("records an event and an audit entry when evidence is attached, and when it is removed", async () => {
		const { id } = await window();
		const { body } = await attachFiles(id);
		expect(await read(id)).toMatchObject({ evidence_count: 1 });
		expect((await windows.ada.api.del(`${getPath(id)}${body.id}/`)).status).toBe(204);
		expect(await read(id)).toMatchObject({ evidence_count: 0 });
		expect((await windows.ada.api.del(`${getPath(id)}${body.id}/`)).status).toBe(404);
		expect(await listSets(id)).toMatchObject({ count: 0 });
		expect((await listEvents(id)).slice(-2)).toEqual([
			{ event: "attach_evidence", user: "ada", detail: expect.stringMatching(/: 1 outage warning, 1 passed$/) },
			{ event: "remove_evidence", user: "ada", detail: expect.stringMatching(/: 1 outage warning, 1 passed$/) },
		]);
		for (const action of ["change_window_attach_evidence", "change_window_remove_evidence"]) {
			const audit = await windows.t.admin.api.get(`/api/audit/logs/?action=${action}&page_size=1`);
			expect(audit.body.results).toMatchObject([{ username: "ada", target_id: id }]);
		}
	});

	it("takes evidence until the window is over, as late once it has opened, and keeps the verdict", async () => {
		const { id } = await window();
		await attachFiles(id);
		await open(id);
		expect((await attachFiles(id, buildRun(3))).body).toMatchObject({ late: true });
		await writeDomain("beside-evidence");
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "failed", verdict_reasons: ["undeclared:1"] });
		const third = await attachFiles(id, buildRun(4));
		expect(third.body).toMatchObject({ late: true });
		expect(await read(id)).toMatchObject({ state: "judged", verdict: "failed", verdicts: [{ number: 1 }] });
		const signed = await move(id, "sign");
		expect(signed.body).toMatchObject({ state: "closed" });
		expect(await attachFiles(id, buildRun(5))).toMatchObject({ status: 409, body: { state: "closed" } });
		expect(await windows.ada.api.del(`${getPath(id)}${third.body.id}/`)).toMatchObject({ status: 409 });
		const report = await windows.ada.api.get(`${WINDOWS}${id}/report/?format=json`);
		expect(report.headers.etag).toBe(`"${signed.body.report_sha256}"`);
		expect(report.body.evidence.map(({ late }: { late: boolean }) => late)).toEqual([false, true, true]);
		expect((await windows.ada.api.get(`${WINDOWS}${id}/report/?format=md`)).text).toContain("Overlapping VLANs");
	});

	it("refuses evidence of a cancelled window, and names the state", async () => {
		const { id } = await window();
		await move(id, "cancel");
		expect(await attachFiles(id)).toMatchObject({ status: 409, body: { state: "cancelled" } });
	});

	it("names the file that is not of the script, and says which files are", async () => {
		const { id } = await window();
		const refuse = async (body: object) => {
			const answer = await attachFiles(id, body);
			expect(answer.status, answer.text).toBe(400);
			return answer.body;
		};
		expect(await refuse({ files: [PASSED, { name: "fabric.json", content: '{"imdata": []}' }] })).toEqual({
			"files.1": [expect.stringMatching(/^"fabric\.json" is not of the script\. Attach the JSON files of Cisco's/)],
		});
		expect(await refuse({ files: [] })).toHaveProperty("files");
		expect(await refuse({ files: [{ name: "a.json" }] })).toHaveProperty("files.0.content");
		const foreign = "01890000-0000-7000-8000-000000000000";
		expect(await refuse({ files: RUN, connection_id: foreign })).toHaveProperty("connection_id");
	});

	it("asks for the connection of the evidence if a window has several", async () => {
		const other = await windows.addFabric(windows.lab, "fab-evidence");
		const { id } = await window({ connection_ids: [windows.connection, other] });
		expect(await attachFiles(id)).toMatchObject({
			status: 400,
			body: { connection_id: [expect.stringContaining("has 2 connections")] },
		});
		expect((await attachFiles(id, { files: RUN, connection_id: other })).body).toMatchObject({
			connection_id: other,
			connection: "fab-evidence",
		});
		expect((await attachFiles(id, { files: RUN, connection_id: windows.connection })).status).toBe(201);
		const left = await windows.ada.api.patch(`${WINDOWS}${id}/`, { connection_ids: [windows.connection] });
		expect(left).toMatchObject({ status: 400, body: { connection_ids: [expect.stringContaining("fab-evidence")] } });
	});

	it("hides evidence from a viewer who does not see its connection, in the list and in the report", async () => {
		const hidden = await windows.addFabric(windows.lab, "fab-hidden");
		await windows.ada.api.patch(`/api/controller/connections/${hidden}/`, { is_public: false });
		const { id } = await window({ connection_ids: [windows.connection, hidden] });
		await attachFiles(id, { files: RUN, connection_id: hidden });
		const { body } = await attachFiles(id, { ...buildRun(2), connection_id: windows.connection });
		const bob = await windows.t.user("bob-of-evidence", ["Operator"]);
		const shown = await listSets(id, bob.api);
		expect(shown.results.map((one: { id: string }) => one.id)).toEqual([body.id]);
		const report = await bob.api.get(`${WINDOWS}${id}/report/?format=json`);
		expect(report.body.evidence).toMatchObject([{ id: body.id }]);
		expect(report.text).not.toContain("fab-hidden");
		expect((await attachFiles(id, { ...buildRun(9), connection_id: windows.connection }, bob.api)).status).toBe(403);
	});

	it("lets viewers read evidence, and neither attach nor remove it", async () => {
		const { id } = await window();
		const { body } = await attachFiles(id);
		const eve = await windows.t.user("eve-of-evidence", ["Viewer"]);
		expect(await listSets(id, eve.api)).toMatchObject({ count: 1 });
		expect((await attachFiles(id, buildRun(1), eve.api)).status).toBe(403);
		expect((await eve.api.del(`${getPath(id)}${body.id}/`)).status).toBe(403);
	});

	it("attaches the same files once, also by two requests at once, and in another order", async () => {
		const { id } = await window();
		const both = await Promise.all([attachFiles(id), attachFiles(id, { files: RUN.toReversed() })]);
		expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
		expect(both.find(({ status }) => status === 409)?.body).toMatchObject({
			detail: expect.stringContaining("already"),
			state: "planned",
		});
		expect(await listSets(id)).toMatchObject({ count: 1 });
	});

	it("limits the files, the bytes and the sets of evidence", async () => {
		const { id } = await window();
		const { files, fileBytes, setBytes, sets } = EVIDENCE_LIMITS;
		const many = Array.from({ length: files + 1 }, () => ({ name: "a.json", content: "{}" }));
		expect(await attachFiles(id, { files: many })).toMatchObject({
			status: 400,
			body: { files: [`Must be at most ${files} files. Attach the JSON files of one run of the script.`] },
		});
		const large = { name: "a.json", content: " ".repeat(fileBytes + 1) };
		expect((await attachFiles(id, { files: [large] })).body).toHaveProperty("files.0.content");
		const half = { name: "a.json", content: "ü".repeat(setBytes / 8) };
		expect((await attachFiles(id, { files: Array.from({ length: 5 }, () => half) })).body).toMatchObject({
			files: [expect.stringContaining("4 MB in all")],
		});
		const insert = `insert into change_window_evidence
			select gen_random_uuid(), window_id, connection_id, attached_at, attached_by, is_late, files, i::text, bytes, content
			from change_window_evidence, generate_series(1, $2) i where window_id = $1`;
		await attachFiles(id);
		await windows.t.pool.query(insert, [id, sets - 1]);
		expect(await attachFiles(id, buildRun(7))).toMatchObject({
			status: 400,
			body: { files: [expect.stringContaining("60 runs")] },
		});
		await windows.t.pool.query("update change_window_evidence set bytes = $2 where window_id = $1 and sha256 = '1'", [
			id,
			EVIDENCE_LIMITS.windowBytes,
		]);
		await windows.t.pool.query("delete from change_window_evidence where window_id = $1 and sha256 <> '1'", [id]);
		expect(await attachFiles(id, buildRun(7))).toMatchObject({
			status: 400,
			body: { files: [expect.stringContaining("10 MB")] },
		});
	});
});
