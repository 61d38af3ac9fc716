/**
 * Models of documents from a folder and from a controller: installed one after the other, compared,
 * and what users keep beside them.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "../support/canvases.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const createProperty = (label: string, more: object = {}) => ({
	label,
	baseType: "string:Basic",
	uitype: "string",
	...more,
});
const tenant = {
	rnFormat: "tn-{name}",
	identifiedBy: ["name"],
	isConfigurable: true,
	label: "Tenant",
	dnFormats: ["uni/tn-{name}"],
	contains: { "fv:BD": "", "fv:Old": "" },
	properties: {
		name: createProperty("Name", { isNaming: true }),
		gone: createProperty("Gone"),
		descr: createProperty("Description"),
	},
};
const OLD = {
	Tenant: tenant,
	BD: { rnFormat: "BD-{name}", label: "Bridge Domain", properties: { name: createProperty("Name") } },
	Old: { rnFormat: "old", label: "Old", properties: { name: createProperty("Name") } },
};
const NEW = {
	Tenant: {
		...tenant,
		label: "The Tenant",
		contains: { "fv:BD": "", "fv:New": "" },
		dnFormats: ["uni/tn-{name}", "uni/other/tn-{name}"],
		properties: { name: tenant.properties.name, descr: createProperty("Text"), come: createProperty("Come") },
	},
	BD: OLD.BD,
	New: { rnFormat: "new", label: "New", properties: { name: createProperty("Name"), more: createProperty("More") } },
};
const getDocument = (classes: Record<string, object>, short: string): string | null =>
	classes[short] === undefined ? null : JSON.stringify({ [`fv:${short}`]: classes[short] }, null, 4);

let t: TestApp;
let lab: RunningController;
let folder: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-versions-"));
	for (const [key, classes] of Object.entries({ "601": OLD, "611": NEW })) {
		await mkdir(join(folder, key, "fv"), { recursive: true });
		for (const short of Object.keys(classes))
			await writeFile(join(folder, key, "fv", `${short}.json`), getDocument(classes, short) ?? "");
	}
	const version = { url: "", fallbackChain: [], classCount: 3, notes: "" };
	const versions = [
		{ ...version, key: "611", label: "6.1(1)" },
		{ ...version, key: "601", label: "6.0(1)" },
	];
	t = await startTestApp({ work: true, deps: { modelSettings: { versions, folder, concurrency: 4 } } });
	const documents = (name: string) => getDocument(NEW, name.replace(/^fv/, ""));
	lab = await startController({ size: "empty", documents });
});
afterAll(async () => {
	await t.close();
	await lab.close();
	await rm(folder, { recursive: true });
});

const getModelJson = async (path: string) => {
	const { status, body, text } = await t.admin.api.get(`/api/mim/${path}`);
	expect(status, text).toBe(200);
	return body;
};
async function installModel(body: object) {
	const started = await t.admin.api.post("/api/mim-registry/remote/install/", body);
	expect(started.status, started.text).toBe(202);
	const run = await waitUntil("the import has ended", async () => {
		const { run } = (await t.admin.api.get(`/api/mim-registry/remote/runs/${started.body.run_id}/`)).body;
		return ["completed", "failed"].includes(run.state) && run;
	});
	expect(run).toMatchObject({ state: "completed", failed_count: 0, error_summary: "" });
	return run;
}

describe("two installed versions", () => {
	beforeAll(async () => {
		for (const version_key of ["601", "611"])
			expect(await installModel({ version_key })).toMatchObject({ source: "folder" });
	});

	it("are compared by class, field and property", async () => {
		const { results, ...answer } = await getModelJson("compare/?from=601&to=611");
		expect(answer).toMatchObject({
			from: { version_key: "601", label: "6.0(1)" },
			to: { version_key: "611", label: "6.1(1)" },
			identical: false,
			count: 3,
			summary: {
				classes_added: 1,
				classes_removed: 1,
				classes_changed: 1,
				properties_added: 3,
				properties_removed: 2,
				properties_changed: 1,
			},
		});
		const whole = (name: string, change: string, properties: string[]) => ({
			name,
			package: "fv",
			change,
			fields: [],
			properties: properties.map((one) => ({ property: one, change, fields: [] })),
		});
		expect(results[0]).toEqual(whole("fvNew", "added", ["name", "more"]));
		expect(results[1]).toEqual(whole("fvOld", "removed", ["name"]));
		const { fields, properties } = results[2];
		expect(results[2]).toMatchObject({ name: "fvTenant", change: "changed" });
		expect(fields).toEqual([
			{ field: "display_name", from: "Tenant", to: "The Tenant" },
			{ field: "contained_classes", from: ["fvOld"], to: ["fvNew"] },
			{ field: "dn_formats", from: [], to: ["uni/other/tn-{name}"] },
		]);
		expect(properties).toEqual([
			{ property: "come", change: "added", fields: [] },
			{ property: "descr", change: "changed", fields: [{ field: "label", from: "Description", to: "Text" }] },
			{ property: "gone", change: "removed", fields: [] },
		]);
	});

	it("are compared the other way round, in part, and with themselves; others are refused", async () => {
		expect((await getModelJson("compare/?from=611&to=601")).summary).toMatchObject({
			classes_added: 1,
			properties_removed: 3,
		});
		const added = await getModelJson("compare/?from=601&to=611&change=added");
		expect(added.results.map(({ name }: { name: string }) => name)).toEqual(["fvNew"]);
		expect(await getModelJson("compare/?from=601&to=611&package=vz")).toMatchObject({ count: 0, identical: false });
		expect(await getModelJson("compare/?from=611&to=611")).toMatchObject({ count: 0, identical: true });
		const refused = await t.admin.api.get("/api/mim/compare/?from=999&to=611");
		expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["from"]]);
	});
});

describe("a controller as the source", () => {
	it("gives the documents that it serves, by its connection", async () => {
		const connection = await addConnection(t.admin.api, lab);
		const run = await installModel({ source: "controller", controller_connection_id: connection });
		expect(run).toMatchObject({ source: "controller", completed_count: 3 });
		const shown = await waitUntil("its model is loaded", async () => {
			const detail = await getModelJson("explorer/class/fvTenant/");
			return detail.source_version === "controller" && detail;
		});
		expect(shown).toMatchObject({
			display_name: "The Tenant",
			dn_format_count: 2,
			properties: [{ name: "name" }, { name: "descr" }, { name: "come" }],
		});
		const active = (await t.admin.api.get("/api/mim-registry/status/")).body.active;
		expect(await getModelJson(`compare/?from=611&to=${active.id}`)).toMatchObject({ identical: true });
	});
});

describe("an address within an answer about the model", () => {
	it("has the host that the client asked, also where the answer was cached for another host", async () => {
		const [list, formats] = ["classes/?page_size=1", "explorer/class/fvTenant/dn-formats/?page_size=1"];
		for (const host of ["one.example.com", "two.example.com", "one.example.com"]) {
			for (const path of [list, formats]) {
				const { body } = await t.admin.api.get(`/api/mim/${path}`, { host });
				expect(new URL(body.next).host, path).toBe(host);
			}
		}
	});
});

describe("what users keep", () => {
	let ada: TestUser;
	beforeAll(async () => {
		ada = await t.user("ada", ["Editor"]);
	});
	const api = () => ada.api;

	it("favorites: each once, of classes that there are", async () => {
		const add = (class_name: string) => api().post("/api/mim/favorites/", { class_name });
		const first = await add("fvTenant");
		expect([first.status, first.body.class_name]).toEqual([201, "fvTenant"]);
		const again = await add("fvTenant");
		expect([again.status, again.body]).toEqual([200, first.body]);
		expect(await add("fvNope")).toMatchObject({ status: 400, body: { class_name: [expect.any(String)] } });
		await add("fvBD");
		expect([...(await api().get("/api/mim/favorites/")).body].sort()).toEqual(["fvBD", "fvTenant"]);
		expect((await t.admin.api.get("/api/mim/favorites/")).body).toEqual([]);
		expect((await api().del(`/api/mim/favorites/${first.body.id}/`)).status).toBe(204);
		expect((await api().del("/api/mim/favorites/fvBD/")).status).toBe(204);
		expect((await api().del("/api/mim/favorites/fvBD/")).status).toBe(404);
		expect((await api().get("/api/mim/favorites/")).body).toEqual([]);
	});

	it("column sets: one default for each class, shared by administrators only", async () => {
		const path = "/api/mim/table-templates/";
		const columns = [{ field: "name", label: "Name", visible: true, order: 1, width: 120 }];
		const input = { class_name: "fvBD", columns, filters: { name: "x" }, is_default: true };
		const first = await api().post(path, { ...input, name: "First", sorting: [{ field: "name", direction: "desc" }] });
		expect([first.status, first.body]).toEqual([
			201,
			expect.objectContaining({ ...input, name: "First", can_edit: true }),
		]);
		const second = (await api().post(path, { ...input, name: "Second" })).body;
		expect((await api().get(`${path}${first.body.id}/`)).body).toMatchObject({ is_default: false });
		expect((await api().post(path, { ...input, name: "Ours", is_shared: true })).status).toBe(403);
		const shared = (await t.admin.api.post(path, { ...input, name: "Ours", is_shared: true })).body;
		const list = (await api().get(`${path}?class_name=fvBD`)).body.results as { name: string; is_default: boolean }[];
		expect(list.map(({ name, is_default }) => [name, is_default]).sort()).toEqual([
			["First", false],
			["Ours", true],
			["Second", true],
		]);
		expect((await api().patch(`${path}${shared.id}/`, { name: "Mine" })).status).toBe(403);
		expect((await api().patch(`${path}${second.id}/`, { description: "short" })).body).toMatchObject({
			name: "Second",
			description: "short",
			columns,
			filters: { name: "x" },
		});
		expect((await api().del(`${path}${second.id}/`)).status).toBe(204);
		expect((await api().get(`${path}${second.id}/`)).status).toBe(404);
	});

	it("how the table of a class looks: once for each, replaced by the next", async () => {
		const path = "/api/mim/table-preferences/";
		const first = await api().post(path, { class_name: "fvBD", visible_columns: ["name"], options: { wide: true } });
		expect([first.status, first.body.visible_columns]).toEqual([201, ["name"]]);
		const next = await api().post(path, { class_name: "fvBD", column_order: ["descr", "name"] });
		expect([next.status, next.body]).toEqual([
			200,
			expect.objectContaining({ id: first.body.id, visible_columns: [], column_order: ["descr", "name"], options: {} }),
		]);
		expect((await api().get(`${path}?class_name=fvBD`)).body).toMatchObject({
			count: 1,
			results: [{ id: first.body.id }],
		});
		const changed = await api().patch(`${path}${first.body.id}/`, { options: { wide: false } });
		expect(changed.body).toMatchObject({ column_order: ["descr", "name"], options: { wide: false } });
		expect((await t.admin.api.get(`${path}${first.body.id}/`)).status).toBe(404);
		expect((await api().del(`${path}${first.body.id}/`)).status).toBe(204);
		expect((await api().get(path)).body).toMatchObject({ count: 0 });
	});
});
