/**
 * The explorer over the 186 real documents, where they are at hand: what it answers is what each
 * document says.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, waitUntil } from "../support/harness.ts";
import { DOCUMENT_FOLDER, documents, hasDocuments, type RealProperty, removeColon } from "../support/real-documents.ts";

if (!hasDocuments) process.stderr.write("model explorer over real documents: skipped, ../shared is absent\n");

describe.skipIf(!hasDocuments)("the explorer over real documents", () => {
	let t: TestApp;
	const get = async (path: string) => {
		const answer = await t.admin.api.get(`/api/mim/${path}`);
		expect(answer.status, `${path} ${answer.text.slice(0, 300)}`).toBe(200);
		return answer.body;
	};
	const names = (list: { name: string }[]): string[] => list.map(({ name }) => name);

	beforeAll(async () => {
		const version = { key: "611", label: "6.1(1)", url: "", fallbackChain: [], classCount: 186, notes: "" };
		t = await startTestApp({
			work: true,
			deps: { modelSettings: { versions: [version], folder: DOCUMENT_FOLDER, concurrency: 4 } },
		});
		const { body } = await t.admin.api.post("/api/mim-registry/remote/install/", { version_key: "611" });
		const run = await waitUntil("the documents are imported", async () => {
			const { run } = (await t.admin.api.get(`/api/mim-registry/remote/runs/${body.run_id}/`)).body;
			return ["completed", "failed"].includes(run.state) && run;
		});
		expect(run).toMatchObject({ state: "completed", source: "folder", completed_count: 186, failed_count: 0 });
		await waitUntil("they are loaded", async () => (await get("stats/")).total_classes > 0);
	});
	afterAll(() => t?.close());

	it("counts classes, properties and packages", async () => {
		expect(documents).toHaveLength(186);
		const properties = documents.reduce((sum, [, { properties }]) => sum + Object.keys(properties).length, 0);
		expect(await get("stats/")).toMatchObject({
			total_classes: 186,
			total_properties: properties,
			version: "611",
			label: "6.1(1)",
			packages: new Set(documents.map(([, { classPkg }]) => classPkg)).size,
		});
	});

	it.each(documents)("has the detail, the properties and the naming of the document of %s", async (name, document) => {
		const detail = await get(`explorer/class/${name}/`);
		expect(detail).toMatchObject({
			name,
			package: document.classPkg,
			qualified_name: `${document.classPkg}:${document.className}`,
			display_name: document.label,
			rn_format: document.rnFormat,
			identified_by: document.identifiedBy,
			is_abstract: document.isAbstract,
			is_configurable: document.isConfigurable,
			context_root: document.isContextRoot,
			category: document.moCategory,
			versions: document.versions ?? "",
			source_version: "611",
			super_classes: document.superClasses.map(removeColon),
			sub_classes: Object.keys(document.subClasses).map(removeColon),
			dn_formats: document.dnFormats,
			dn_format: document.dnFormats[0] ?? "",
			dn_format_count: document.dnFormats.length,
			faults: document.faults,
			read_access: document.readAccess,
		});
		const comment = document.comment?.[0]?.trim() ?? "";
		expect(detail.description).toBe(["null", "na"].includes(comment.toLowerCase()) ? "" : comment);
		expect(detail.relation === null).toBe(document.relationInfo === undefined);
		if (document.relationInfo) {
			expect(detail.relation).toMatchObject({
				type: document.relationInfo.type,
				cardinality: document.relationInfo.cardinality,
				from_class: removeColon(String(document.relationInfo.fromMo)),
				to_class: removeColon(String(document.relationInfo.toMo)),
			});
		}
		expect(names(detail.properties)).toEqual(Object.keys(document.properties));
		for (const property of detail.properties) {
			const real = document.properties[property.name] as RealProperty;
			expect(property, `${name}.${property.name}`).toMatchObject({
				naming: real.isNaming,
				configurable: real.isConfigurable,
				read_only: real.readOnly,
				secure: real.secure,
				create_only: real.createOnly,
				label: real.label.trim(),
				base_type: real.baseType,
				model_type: real.modelType,
				versions: real.versions ?? "",
				default: real.default === undefined ? null : String(real.default),
				like: real.likeProp ?? null,
				valid_values: (real.validValues ?? [])
					.filter(({ localName }) => localName !== "defaultValue")
					.map(({ value, localName, label }) => ({ value, local_name: localName, label: label.trim() })),
				validators: (real.validators ?? []).map(({ min = null, max = null, regexs, regex, type }) => ({
					min,
					max,
					regexs: regexs ?? (regex === undefined ? [] : [{ regex, type }]),
				})),
			});
			if (real.isNaming) expect(property.required).toBe(true);
			if (real.uitype !== "auto") expect(property.type).toBe(real.uitype);
			else expect(property.type).not.toBe("auto");
		}
		expect(
			detail.properties
				.filter(({ naming }: { naming: boolean }) => naming)
				.map(({ name }: { name: string }) => name)
				.sort(),
		).toEqual([...document.identifiedBy].sort());
	});

	it.each(documents)(
		"has the containers, the children and the relations of the document of %s",
		async (name, document) => {
			const answer = await get(`explorer/relationships/${name}/?inherited=false`);
			expect(names(answer.containers)).toEqual(Object.keys(document.containedBy).map(removeColon).sort());
			expect(names(answer.contained_classes)).toEqual(Object.keys(document.contains).map(removeColon).sort());
			const relations = answer.associations.map(
				({ direction, via, name }: Record<string, string>) => `${direction} ${via} ${name}`,
			);
			expect(relations.sort()).toEqual(
				[
					...Object.entries(document.relationTo ?? {}).map(
						([via, end]) => `to ${removeColon(via)} ${removeColon(end)}`,
					),
					...Object.entries(document.relationFrom ?? {}).map(
						([via, end]) => `from ${removeColon(via)} ${removeColon(end)}`,
					),
				].sort(),
			);
			expect(answer.totals).toEqual({
				containers: answer.containers.length,
				contained_classes: answer.contained_classes.length,
				associations: answer.associations.length,
			});
			const inherited = await get(`explorer/relationships/${name}/`);
			for (const list of ["containers", "contained_classes", "associations"]) {
				const own = inherited[list].filter(
					({ inherited_from }: { inherited_from: string | null }) => inherited_from === null,
				);
				expect(own).toEqual(answer[list]);
				for (const { inherited_from } of inherited[list]) {
					if (inherited_from !== null) expect(document.superClasses.map(removeColon)).toContain(inherited_from);
				}
			}
		},
	);

	it("goes from the top to each class by containment, and reads a DN made from the way back", async () => {
		for (const [name, document] of documents) {
			const way = await get(`explorer/ancestors/${name}/`);
			expect(way.at(-1).name).toBe(name);
			expect(way.at(-1).rn_format).toBe(document.rnFormat);
			for (const [i, { name: parent }] of way.slice(0, -1).entries()) {
				const child = way[i + 1].name;
				const says = documents.find(([known]) => known === child)?.[1].containedBy;
				const parentSays = documents.find(([known]) => known === parent)?.[1].contains;
				expect([...Object.keys(says ?? {}), ...Object.keys(parentSays ?? {})].map(removeColon)).toContain(
					says === undefined ? child : parent,
				);
			}
		}
		expect(names(await get("explorer/ancestors/fvBD/"))).toEqual(["polUni", "fvTenant", "fvBD"]);
		expect(names(await get("explorer/ancestors/fvRsPathAtt/"))).toEqual([
			"polUni",
			"fvTenant",
			"fvAp",
			"fvAEPg",
			"fvRsPathAtt",
		]);
	});

	it("finds what people look for", async () => {
		const first = async (q: string) => (await get(`search/?q=${encodeURIComponent(q)}`)).results[0];
		expect(await first("fvBD")).toMatchObject({ type: "class", name: "fvBD", match: "exact", score: 1 });
		expect(await first("fv:BD")).toMatchObject({ name: "fvBD", match: "exact" });
		expect(await first("bridge domain")).toMatchObject({ name: "fvBD", match: "alias" });
		expect(await first("epg")).toMatchObject({ name: "fvAEPg", match: "alias" });
		expect(await first("vrf")).toMatchObject({ name: "fvCtx" });
		expect(await first("uni/tn-")).toMatchObject({ name: "fvTenant", match: "dn" });
		expect(await first("tn-common/BD-web")).toMatchObject({ name: "fvBD", match: "dn" });
		expect(await first("fvTenat")).toMatchObject({ name: "fvTenant", match: "fuzzy" });
		expect(await first("fvCollect")).toBeUndefined();
		const limited = await get("search/?q=pol&limit=3");
		expect(limited.results).toHaveLength(3);
		const scores = (await get("search/?q=link&limit=200")).results.map(({ score }: { score: number }) => score);
		expect(scores).toEqual([...scores].sort((a, b) => b - a));
		expect(scores.every((score: number) => score > 0 && score <= 1)).toBe(true);
		const properties = (await get("search/?q=unkMacUcastAct&type=property")).results;
		expect(properties[0]).toMatchObject({ type: "property", name: "unkMacUcastAct", class: "fvBD" });
		expect(names((await get("search/?q=fv&type=package")).results)).toEqual(["fv", "fvns"]);
	});

	it("finds every class by its name, its qualified name and its label", async () => {
		for (const [name, { label, classPkg, className }] of documents) {
			for (const q of [name, `${classPkg}:${className}`, name.toLowerCase()]) {
				const { results } = await get(`search/?q=${encodeURIComponent(q)}&limit=5&type=class`);
				expect(names(results), q).toContain(name);
			}
			const { results } = await get(`search/?q=${encodeURIComponent(label)}&limit=200&type=class`);
			expect(names(results), label).toContain(name);
		}
	});

	it("reads a DN into classes and values", async () => {
		const { class_name, parts, warnings } = await get(
			`dn/?dn=${encodeURIComponent("uni/tn-acme/ap-shop/epg-web/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]")}`,
		);
		expect([class_name, warnings]).toEqual(["fvRsPathAtt", []]);
		expect(parts.map((part: { class: { name: string }; naming: object }) => [part.class?.name, part.naming])).toEqual([
			["polUni", {}],
			["fvTenant", { name: "acme" }],
			["fvAp", { name: "shop" }],
			["fvAEPg", { name: "web" }],
			["fvRsPathAtt", { tDn: "topology/pod-1/paths-101/pathep-[eth1/1]" }],
		]);
		const odd = await get("dn/?dn=uni/tn-acme/nonsense-1");
		expect(odd).toMatchObject({ class_name: null, warnings: [expect.stringContaining("nonsense-1")] });
		expect(odd.parts.at(-1)).toMatchObject({ class: null, rn: "nonsense-1" });
		for (const dn of ["uni/tn-[a", "uni//x", ""]) {
			expect((await t.admin.api.get(`/api/mim/dn/?dn=${encodeURIComponent(dn)}`)).status, dn).toBe(400);
		}
	});

	it("finds shortest ways", async () => {
		const answer = await get("path/?from=fvAEPg&to=fvCtx");
		expect(answer.length).toBeGreaterThan(0);
		for (const path of answer.paths) {
			expect(path).toHaveLength(answer.length + 1);
			expect([path[0].name, path.at(-1).name]).toEqual(["fvAEPg", "fvCtx"]);
		}
		const relations = await get("path/?from=fvAEPg&to=fvCtx&over=relations");
		expect(relations.paths.map((path: { name: string }[]) => names(path))).toContainEqual(["fvAEPg", "fvBD", "fvCtx"]);
		expect(await get("path/?from=fvBD&to=fvBD")).toMatchObject({ length: 0 });
	});

	it("says how to use a class", async () => {
		expect(await get("explorer/class/fvAEPg/insights/")).toMatchObject({
			class_name: "fvAEPg",
			dn_pattern: "uni/tn-{name}/ap-{name}/epg-{name}",
			preferred_method: "dn",
			example_dn: "uni/tn-Tenant1/ap-Ap1/epg-AEPg1",
			required_properties: ["name"],
		});
		expect(await get("explorer/class/rtsumARtSummPol/insights/")).toMatchObject({
			preferred_method: "sub_classes",
			example_dn: "",
		});
	});

	it("browses the tree, level by level", async () => {
		const top = await get("explorer/tree/");
		expect(names(top)).toContain("fvTenant");
		const tenant = top.find(({ name }: { name: string }) => name === "fvTenant");
		const level = await get("explorer/tree/?parent=fvTenant");
		expect(tenant).toMatchObject({ child_count: level.length, has_children: true });
		expect(names(level)).toEqual(expect.arrayContaining(["fvAp", "fvBD", "fvCtx"]));
		const hierarchy = await get("classes/fvTenant/hierarchy/?depth=1");
		expect(names(hierarchy.children)).toEqual(names(level));
		expect(hierarchy.children.find(({ name }: { name: string }) => name === "fvAp")).toMatchObject({
			children: [],
			truncated: true,
		});
		expect(names(await get("classes/roots/"))).toEqual(["fvTenant", "vmmDomP"]);
		expect(names(await get("classes/fvTenant/children/search/?q=bridge"))).toEqual(["fvBD"]);
	});

	it("has the older routes", async () => {
		const all = await get("classes/?page_size=200");
		expect([all.count, names(all.results)]).toEqual([186, documents.map(([name]) => name).sort()]);
		expect(names((await get("classes/?package=vz&page_size=200")).results)).toEqual(
			documents
				.filter(([, { classPkg }]) => classPkg === "vz")
				.map(([name]) => name)
				.sort(),
		);
		expect((await get("classes/?package=nosuch")).count).toBe(0);
		expect(await get("classes/fvBD/")).toEqual(await get("explorer/class/fvBD/"));
		expect(names(await get("classes/search/?q=tenant"))).toContain("fvTenant");
		const enhanced = await get("classes/search/enhanced/?q=bd");
		expect(enhanced.packages[0]).toMatchObject({ package: "fv" });
		expect(enhanced.total).toBe(
			enhanced.packages.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
		);
		const { suggestions } = await get(
			`classes/suggest/?q=${encodeURIComponent("which bridge domains does a tenant have?")}`,
		);
		expect(names(suggestions).slice(0, 2).sort()).toEqual(["fvBD", "fvTenant"]);
		expect(suggestions.every(({ reason }: { reason: string }) => reason !== "")).toBe(true);
		const packages = await get("packages/");
		expect(packages.find(({ name }: { name: string }) => name === "fv").class_count).toBe(
			documents.filter(([, { classPkg }]) => classPkg === "fv").length,
		);
		expect((await get("packages/top/?limit=1"))[0].name).toBe("fv");
		const { related } = await get("classes/fvBD/related/");
		expect(related).toContainEqual(
			expect.objectContaining({ name: "fvCtx", relation: "association", direction: "to", via: "fvRsCtx" }),
		);
	});

	it("answers 404 for what is not there, and 304 for what the caller has", async () => {
		for (const path of [
			"explorer/class/fvNope/",
			"explorer/class/tagTag/",
			"explorer/tree/?parent=fvNope",
			"classes/fvNope/related/",
		]) {
			expect((await t.admin.api.get(`/api/mim/${path}`)).status, path).toBe(404);
		}
		const { headers } = await t.admin.api.get("/api/mim/explorer/class/fvBD/");
		const etag = String(headers.etag);
		expect(etag).toMatch(/^"[\w-]+"$/);
		const again = await t.admin.api.get("/api/mim/explorer/class/fvBD/", { "if-none-match": etag });
		expect([again.status, again.text]).toEqual([304, ""]);
		expect((await t.admin.api.get("/api/mim/search/?q=x", { "if-none-match": `W/${etag}, "y"` })).status).toBe(304);
		expect((await t.admin.api.get("/api/mim/explorer/class/fvBD/", { "if-none-match": '"other"' })).status).toBe(200);
		expect((await t.admin.api.get("/api/mim/explorer/class/fvNope/", { "if-none-match": etag })).status).toBe(404);
	});

	it("checks canvases and saved queries by the model", async () => {
		const flow_data = {
			nodes: [
				{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvBD" } },
				{
					id: "f",
					type: "filterNode",
					position: { x: 0, y: 0 },
					data: { filterType: "property", property: "arpFlod", operator: "eq", value: "yes" },
				},
				{ id: "b", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvTenat" } },
			],
			edges: [{ id: "e", source: "a", target: "f", data: {} }],
		};
		const checked = await t.admin.api.post("/api/mim/check/", { flow_data });
		expect(checked.body).toMatchObject({ checked: true, version: "6.1(1)" });
		expect(checked.body.warnings).toEqual([
			expect.objectContaining({ node_id: "b", class_name: "fvTenat", property: null, suggestions: ["fvTenant"] }),
			expect.objectContaining({ node_id: "f", class_name: "fvBD", property: "arpFlod" }),
		]);
		const saved = await t.admin.api.post("/api/queries/saved-queries/", { name: "Odd", flow_data });
		const again = await t.admin.api.post("/api/mim/check/", { saved_query_id: saved.body.id });
		expect(again.body).toEqual(checked.body);
		const stranger = await t.user("stranger");
		expect((await stranger.api.post("/api/mim/check/", { saved_query_id: saved.body.id })).status).toBe(404);
		expect((await t.admin.api.post("/api/mim/check/", {})).status).toBe(400);
	});
});
