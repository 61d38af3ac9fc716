import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningModelSource, startModelSource } from "./source.ts";

let source: RunningModelSource;
beforeAll(async () => {
	source = await startModelSource({ classes: 600, dnFormats: 3_000 });
});
afterAll(() => source.close());

const getDocumentUrl = (key: string, name: string) =>
	`${source.url}/media/model-doc-${key}/docs/doc/jsonmeta/${name.replace(/^([a-z0-9]+)([A-Z].*)$/, "$1/$2")}.json`;
interface Property {
	default?: string | number;
	comment?: string[];
	validValues?: { localName: string; label: string }[];
	validators?: { regex?: string }[];
}
interface Class {
	contains: Record<string, string>;
	rnMap: Record<string, string>;
	containedBy: Record<string, string>;
	superClasses: string[];
	subClasses: Record<string, string>;
	dnFormats: string[];
	rnFormat: string;
	isAbstract: boolean;
	comment?: string[];
	versions?: string;
	relationTo?: Record<string, string>;
	relationInfo?: { fromMo: string };
	properties: Record<string, Property>;
}
function readDocument(name: string, key = "611"): Class {
	const [[found, content] = []] = Object.entries(JSON.parse(source.document(key, name) ?? "{}"));
	expect(found?.replace(":", "")).toBe(name);
	return content as Class;
}
const readAllDocuments = () => source.published("611").map((name) => [name, readDocument(name)] as const);

describe("the model source", () => {
	it("serves documents by version key, compressed or not, and XML for what is not there", async () => {
		const [packed, plain] = await Promise.all([
			fetch(getDocumentUrl("611", "fvTenant")),
			fetch(getDocumentUrl("611", "fvTenant"), { headers: { "accept-encoding": "identity" } }),
		]);
		expect(packed.headers.get("content-encoding")).toBe("gzip");
		expect(plain.headers.get("content-encoding")).toBeNull();
		expect(await packed.text()).toBe(await plain.text());
		for (const url of [getDocumentUrl("611", "fvNoSuch"), getDocumentUrl("999", "fvTenant"), `${source.url}/nothing`]) {
			const missing = await fetch(url);
			expect([missing.status, missing.headers.get("content-type")]).toEqual([403, "application/xml"]);
			expect(await missing.text()).toContain("AccessDenied");
		}
		const index = await fetch(`${source.url}/media/model-doc-611/docs/doc/jsonmeta/aci-meta.json`);
		const { classes } = (await index.json()) as { classes: Record<string, { rnFormat: string }> };
		expect(classes.fvTenant?.rnFormat).toBe("tn-{name}");
	});

	it("makes the same documents from the same seed, and others from another", async () => {
		const same = await startModelSource({ classes: 600, dnFormats: 3_000 });
		const other = await startModelSource({ classes: 600, seed: 2 });
		const names = source.published("611");
		expect(same.published("611")).toEqual(names);
		for (const name of names.slice(-50)) expect(same.document("611", name)).toBe(source.document("611", name));
		expect(other.published("611")).not.toEqual(names);
		await Promise.all([same.close(), other.close()]);
	});

	it("hangs together: every published class can be found from the top root", () => {
		const seen = new Set<string>();
		const queue = [source.root];
		for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
			if (seen.has(name)) continue;
			seen.add(name);
			const text = source.document("611", name) ?? source.document("521", name);
			if (text === null) continue;
			const content = Object.values(JSON.parse(text))[0] as Class;
			const { relationTo = {}, relationInfo = {} } = content;
			const named = [
				...Object.keys(content.contains),
				...Object.keys(content.containedBy),
				...content.superClasses,
				...Object.keys(content.subClasses),
				...Object.entries(relationTo).flat(),
				...Object.values(relationInfo),
			];
			queue.push(...named.filter((other) => typeof other === "string").map((other) => other.replace(":", "")));
		}
		expect(source.published("611").filter((name) => !seen.has(name))).toEqual([]);
	});

	it("has containment both ways, and a relative name for every child", () => {
		const documents = new Map(readAllDocuments());
		for (const [name, { contains, containedBy, rnMap }] of documents) {
			expect(Object.keys(rnMap), name).toHaveLength(Object.keys(contains).length);
			for (const child of Object.keys(contains)) {
				const parents = documents.get(child.replace(":", ""))?.containedBy;
				if (parents !== undefined)
					expect(Object.keys(parents).map((parent) => parent.replace(":", ""))).toContain(name);
			}
			for (const parent of Object.keys(containedBy)) {
				const children = documents.get(parent.replace(":", ""))?.contains;
				if (children !== undefined)
					expect(Object.keys(children).map((child) => child.replace(":", ""))).toContain(name);
			}
		}
	});

	it("repeats in sub classes what super classes add, letter by letter", () => {
		const documents = new Map(readAllDocuments());
		const everywhere = new Set(Object.keys(documents.get(source.root)?.properties ?? {}));
		const added = ({ properties }: Class): string[] =>
			Object.entries(properties)
				.filter(([name]) => !everywhere.has(name))
				.map((entry) => JSON.stringify(entry));
		const heirs = [...documents.values()].filter((content) => {
			const above = documents.get(content.superClasses[0]?.replace(":", "") ?? "");
			const texts = new Set(above?.isAbstract === true ? added(above) : []);
			return added(content).some((text) => texts.has(text));
		});
		expect(heirs.length).toBeGreaterThan(100);
	});

	it("is as odd as the real one", () => {
		const documents = readAllDocuments();
		const properties = documents.flatMap(([, { properties }]) => Object.values(properties));
		const some = <T>(list: readonly T[], is: (item: T) => boolean) => {
			expect(list.some(is)).toBe(true);
			expect(list.every(is)).toBe(false);
		};
		some(documents, ([, { comment }]) => comment === undefined);
		some(documents, ([, { versions }]) => versions === undefined);
		some(documents, ([, { isAbstract, rnFormat }]) => isAbstract && rnFormat === "");
		some(documents, ([, { relationInfo }]) => relationInfo !== undefined);
		some(documents, ([name, { contains }]) => Object.keys(contains).some((child) => child.replace(":", "") === name));
		some(documents, ([, content]) => "isFutureThing" in content);
		some(documents, ([, { contains }]) => Object.keys(contains).some((child) => child.startsWith("gone")));
		some(properties, ({ comment }) => comment === undefined);
		some(properties, (property) => typeof property.default === "number");
		some(properties, ({ validators = [] }) => validators.some(({ regex }) => regex?.includes("(?P<")));
		const values = properties.flatMap(({ validValues = [] }) => validValues);
		expect(values.every(({ label }) => label.endsWith(" "))).toBe(true);
		for (const property of properties)
			expect(property.validValues?.some(({ localName }) => localName === "defaultValue") ?? false).toBe(
				property.default !== undefined,
			);
		expect(documents.filter(([, { superClasses }]) => superClasses.includes("mo:TopProps")).length).toBeGreaterThan(
			100,
		);
		expect(source.document("611", "moTopProps")).toBeNull();
		expect(readDocument("tagAnnotation").dnFormats.length).toBeGreaterThan(500);
	});

	it("publishes some classes in older versions only, and some in the newest only", () => {
		const [newest, oldest] = [new Set(source.published("611")), new Set(source.published("521"))];
		expect([...oldest].some((name) => !newest.has(name))).toBe(true);
		expect([...newest].some((name) => !oldest.has(name))).toBe(true);
		const differ = [...newest].filter(
			(name) => oldest.has(name) && source.document("611", name) !== source.document("521", name),
		);
		expect(differ.length).toBeGreaterThan(10);
	});

	it("shows each fault when told to", async () => {
		const ask = async (headers: Record<string, string> = {}) => {
			const response = await fetch(getDocumentUrl("611", "fvBD"), { headers });
			return { status: response.status, text: await response.text(), headers: response.headers };
		};
		const once = { count: 1 };
		source.setFaults({ missing: { ...once, status: 404 } });
		expect((await ask()).status).toBe(404);
		source.setFaults({ html_page: once });
		expect((await ask()).text).toMatch(/^<!doctype html/);
		source.setFaults({ bad_gateway_compressed: true });
		expect((await ask()).status).toBe(502);
		expect((await ask({ "accept-encoding": "identity" })).status).toBe(200);
		source.setFaults({ bad_gateway_compressed: false, server_error: once });
		expect((await ask()).status).toBe(503);
		source.setFaults({ throttle: { per_second: 0, count: 1 } });
		const throttled = await ask();
		expect([throttled.status, throttled.headers.get("retry-after")]).toEqual([429, "1"]);
		source.setFaults({ reset: once });
		await expect(ask()).rejects.toThrow();
		source.setFaults({ truncated_body: once });
		await expect(ask()).rejects.toThrow();
		source.setFaults({ cut_document: once });
		const cut = await ask();
		expect(cut.status).toBe(200);
		expect(() => JSON.parse(cut.text)).toThrow();
		source.setFaults({ not_json: once });
		const broken = await ask();
		expect(() => JSON.parse(broken.text)).toThrow();
		source.setFaults({ wrong_class: once });
		expect((await ask()).text).toContain("no:SuchThing");
		source.setFaults({ latency: { ...once, ms: 1 }, slow_body: { ...once, ms: 1 } });
		expect(JSON.parse((await ask()).text)).toHaveProperty("fv:BD");
		expect(() => source.setFaults({ nonsense: true } as never)).toThrow(/no fault is called nonsense/);
		expect(Object.keys(source.stats().faults)).toContain("reset");
	});

	it("is controlled over HTTP", async () => {
		const post = (path: string, body: unknown) =>
			fetch(`${source.url}/_lab/${path}`, { method: "POST", body: JSON.stringify(body) });
		const get = async (path: string) => (await fetch(`${source.url}/_lab/${path}`)).json();
		expect((await post("faults", { missing: { count: 1 } })).status).toBe(200);
		expect((await fetch(getDocumentUrl("611", "fvBD"))).status).toBe(403);
		expect((await post("faults", { unheard: true })).status).toBe(400);
		expect(await get("stats")).toMatchObject({ statuses: { "403": expect.any(Number) } });
		expect((await post("reset", {})).status).toBe(200);
		expect(await get("health")).toMatchObject({ status: "ok" });
	});
});
