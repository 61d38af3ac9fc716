/** The gallery through the API: its list and search, runs of questions, and saved ones. */
import { beforeAll, describe, expect, it } from "vitest";
import { QUERIES, UNKNOWN } from "../support/canvases.ts";
import { askQuestion, GALLERY, listKeys, readFixture } from "../support/gallery.ts";
import { GROUPS } from "../support/group-runs.ts";
import { type Api, waitUntil } from "../support/harness.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns();
let api: Api;
beforeAll(() => {
	api = runs.ada.api;
});

async function findKeys(query: string): Promise<string[]> {
	const { status, body, text } = await api.get(`${GALLERY}?page_size=200&${query}`);
	expect(status, text).toBe(200);
	expect(body.count).toBe(body.results.length);
	return body.results.map(({ key }: { key: string }) => key);
}

describe("the list of questions", () => {
	it("has every question of the folder, at least 40, each with its classes, canvas and sources", async () => {
		expect((await findKeys("")).sort()).toEqual(listKeys());
		expect(listKeys().length).toBeGreaterThanOrEqual(40);
		const { body } = await api.get(`${GALLERY}?page_size=200`);
		expect(new Set(body.results.map(({ question }: { question: string }) => question)).size).toBe(body.count);
		for (const one of body.results) {
			expect(one.question, one.key).toMatch(/\?$/);
			expect(one.sources.length, one.key).toBeGreaterThan(0);
			expect(one.flow_data.nodes.length, one.key).toBeGreaterThan(one.classes.length);
		}
		const found = body.results.find(({ key }: { key: string }) => key === "epgs-without-contract");
		expect(found).toEqual({
			key: "epgs-without-contract",
			question: "Which EPGs have no contract?",
			description: expect.stringContaining("vzAny"),
			categories: ["EPGs and ESGs", "Contracts"],
			keywords: expect.arrayContaining(["isolated"]),
			classes: ["fvAEPg", "fvRsProv", "fvRsCons", "fvRsConsIf", "fvRsSecInherited"],
			variables: [],
			flow_data: { nodes: expect.any(Array), edges: expect.any(Array) },
			post_processors: expect.any(Array),
			sources: expect.any(Array),
		});
	});

	it("comes in pages, and by category", async () => {
		const { body } = await api.get(`${GALLERY}?page_size=3&page=2`);
		expect(body.results).toHaveLength(3);
		expect([body.next, body.previous]).toEqual([expect.stringContaining("page=3"), expect.any(String)]);
		const contracts = await findKeys("category=Contracts");
		expect(contracts).toContain("contract-parties");
		expect(contracts).not.toContain("transceivers");
		expect(await findKeys("category=Nothing")).toEqual([]);
	});

	it.each([
		["bridge domain without subnet", "BD no subnets", "bds-without-subnet"],
		["VRF unenforced", "private network unenforced", "vrfs-unenforced"],
		["context unenforced", "vrfs unenforced", "vrfs-unenforced"],
		["interface down", "links down", "interfaces-down"],
		["port errdisabled", "interfaces err-disabled", "interfaces-error-disabled"],
		["EPG without contract", "endpoint groups without ACL", "epgs-without-contract"],
		["ESG without contract", "epgs missing filters", "epgs-without-contract"],
		["where is my MAC address", "find a host by mac", "endpoint-by-mac"],
		["SFPs", "optics", "transceivers"],
		["BGP peers", "bgp neighbors", "bgp-neighbours-down"],
		["changes of a user", "audit log by account", "changes-by-user"],
		["backup", "configuration export", "backups-last-success"],
	])("is searched for %s as for %s", async (one, other, key) => {
		const [found, same] = await Promise.all(
			[one, other].map((search) => findKeys(`search=${encodeURIComponent(search)}`)),
		);
		expect(found).toContain(key);
		expect(same).toContain(key);
		expect(same?.length).toBeLessThan(40);
	});

	it("has nothing for words that no question has, and refuses a search that is too long", async () => {
		expect(await findKeys("search=zebra")).toEqual([]);
		expect(await findKeys("search=%20")).toHaveLength(listKeys().length);
		expect((await api.get(`${GALLERY}?search=${"x".repeat(201)}`)).status).toBe(400);
	});
});

describe("a run of a question", () => {
	it("gives the rows of the fabric at once, and is listed by the question", async () => {
		const rows = await askQuestion(api, "bds-with-vrf-and-subnets", runs.connection, {});
		expect(rows).toHaveLength((await runs.ask("/api/class/fvBD.json")).length);
		expect(rows[0]).toMatchObject({ tenant: expect.any(String), vrf: expect.any(String) });
		const { body } = await api.get("/api/queries/group-executions/?page_size=1");
		expect(body.results[0]).toMatchObject({
			query_name: "Which VRF and subnets does each bridge domain have?",
			saved_query_id: null,
		});
	});

	it("carries the title of the question on each connection and after a retry, so that a search finds it", async () => {
		const query_name = "Which switches are there?";
		const search = `/api/queries/pipeline-executions/?search=${encodeURIComponent(query_name)}`;
		const getGroup = async (id: string) => (await api.get(`/api/queries/group-executions/${id}/`)).body;
		runs.lab.setFaults({ error: { text: "Request failed", match: "class/" } });
		const started = await api.post(`${GALLERY}switches/run/`, { controller_connection_ids: [runs.connection] });
		const { id } = started.body;
		await waitUntil("the run has failed", async () => (await getGroup(id)).status === "failed" || null);
		runs.lab.clearFaults();
		expect((await api.post(`/api/queries/group-executions/${id}/retry/`)).status).toBe(202);
		await waitUntil("the retry has ended", async () => (await getGroup(id)).status === "completed" || null);
		const named = { query_name, saved_query_id: null };
		expect((await api.get(search)).body.results).toMatchObject([
			{ ...named, status: "completed" },
			{ ...named, status: "failed" },
		]);
	});

	it("takes a group of connections, and the same key again", async () => {
		const { body: group } = await api.post(GROUPS, { name: "All fabrics", connection_ids: [runs.connection] });
		const input = { connection_group_id: group.id, idempotency_key: "once" };
		const first = await api.post(`${GALLERY}switches/run/`, input);
		expect(first.status, first.text).toBe(202);
		expect(first.body).toMatchObject({ connection_group: group.id, runs: [{ status: expect.any(String) }] });
		expect((await api.post(`${GALLERY}switches/run/`, input)).body.id).toBe(first.body.id);
	});

	it("refuses a missing variable, an unknown place and an unknown question", async () => {
		const run = async (key: string, body: unknown) => {
			const answer = await api.post(`${GALLERY}${key}/run/`, body);
			return [answer.status, Object.keys(answer.body)];
		};
		const here = { controller_connection_ids: [runs.connection] };
		expect(await run("endpoint-by-mac", here)).toEqual([400, ["variable_values"]]);
		expect(await run("endpoint-by-mac", { ...here, variable_values: { mac: "" } })).toEqual([400, ["variable_values"]]);
		expect(await run("epgs-of-vlan", { ...here, variable_values: { vlan: "ten" } })).toEqual([
			400,
			["variable_values"],
		]);
		expect(await run("switches", { controller_connection_ids: [UNKNOWN] })).toEqual([
			400,
			["controller_connection_ids"],
		]);
		expect(await run("switches", { connection_group_id: UNKNOWN })).toEqual([400, ["connection_group_id"]]);
		expect(await run("switches", {})).toEqual([400, ["non_field_errors"]]);
		expect(await run("switches", { ...here, connection_group_id: UNKNOWN })).toEqual([400, ["non_field_errors"]]);
		expect(await run("no-such-question", here)).toEqual([404, ["detail"]]);
	});

	it("runs every question on the lab's fabric to its end", async () => {
		const failed: string[] = [];
		for (const key of listKeys()) {
			await askQuestion(api, key, runs.connection, readFixture(key).variables).catch((error: unknown) => {
				failed.push(`${key}: ${String(error)}`);
			});
		}
		expect(failed).toEqual([]);
	});
});

describe("a saved question", () => {
	it("saves a question as a query of the caller with its canvas, variables and explanation", async () => {
		const { status, body, text } = await api.post(`${GALLERY}endpoint-by-ip/save/`, { name: "Find an address" });
		expect(status, text).toBe(201);
		const { body: list } = await api.get(`${GALLERY}?search=endpoint%20ip`);
		const question = list.results.find(({ key }: { key: string }) => key === "endpoint-by-ip");
		expect(body).toMatchObject({
			name: "Find an address",
			enable_time_machine: false,
			is_public: false,
			version_string: "v1.0",
			description: question.description,
			flow_data: question.flow_data,
			post_processors: question.post_processors,
			variables: question.variables,
		});
		expect((await api.get(`${QUERIES}${body.id}/`)).body.name).toBe("Find an address");
	});

	it("saves a question with snapshots on, and refuses a taken name", async () => {
		const name = "Switches over time";
		const save = (more: object = {}) => api.post(`${GALLERY}switches/save/`, { name, ...more });
		expect((await save({ enable_time_machine: true })).body.enable_time_machine).toBe(true);
		const again = await save();
		expect([again.status, Object.keys(again.body)]).toEqual([400, ["name"]]);
		expect(Object.keys((await save({ name: " " })).body)).toEqual(["name"]);
		expect((await api.post(`${GALLERY}no-such-question/save/`, { name })).status).toBe(404);
	});
});
