/** `weft model`, on a model that was imported from the simulated publishing site. */
import type { RunningModelSource } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useCli } from "./support/cli.ts";
import { importModel, startSite } from "./support/model.ts";

let site: RunningModelSource;
const cli = useCli({
	async deps() {
		const started = await startSite();
		site = started.site;
		return started.deps;
	},
});
const runModelCommand = (...args: string[]) => cli.weft("model", ...args);
let parent: string;
let child: string;

beforeAll(async () => {
	await importModel(cli.t);
	const { body: roots } = await cli.ada.api.get("/api/mim/explorer/tree/");
	parent = roots.find(({ has_children }: { has_children: boolean }) => has_children).name;
	const { body: children } = await cli.ada.api.get(`/api/mim/explorer/tree/?parent=${parent}`);
	child = children[0].name;
});
afterAll(() => site.close());

describe("weft model", () => {
	it("searches", async () => {
		const { body } = await cli.ada.api.get(`/api/mim/search/?q=${parent}&limit=5`);
		const found = await runModelCommand("search", parent, "--limit", "5", "--format", "json");
		expect(JSON.parse(found.stdout)).toEqual(body.results);
		expect((await runModelCommand("search", parent, "--type", "class")).stdout).toMatch(
			new RegExp(`^class +${parent} `, "m"),
		);
		expect(await runModelCommand("search", parent, "--limit", "many")).toMatchObject({ code: 2 });
	});

	it("shows a class, and near names for an unknown one", async () => {
		const { body } = await cli.ada.api.get(`/api/mim/explorer/class/${parent}/`);
		expect(JSON.parse((await runModelCommand("class", parent, "--format", "json")).stdout)).toEqual(body);
		expect((await runModelCommand("class", parent)).stdout).toMatch(new RegExp(`^name +${parent}$`, "m"));
		const unknown = await runModelCommand("class", `${parent}x`);
		expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining(`Did you mean "${parent}"`) });
		expect(await runModelCommand("class", "no class")).toMatchObject({ code: 2 });
	});

	it("shows the paths between two classes", async () => {
		const path = await runModelCommand("path", parent, child, "--over", "containment", "--format", "json");
		expect(JSON.parse(path.stdout)).toMatchObject({ from: parent, to: child, length: 1 });
		expect((await runModelCommand("path", parent, child)).stdout).toContain(`${parent}, contains ${child}`);
		expect(await runModelCommand("path", parent, `${child}x`)).toMatchObject({ code: 2 });
	});

	it("takes a DN apart", async () => {
		const { body } = await cli.ada.api.get("/api/mim/dn/?dn=uni/tn-prod");
		expect(JSON.parse((await runModelCommand("dn", "uni/tn-prod", "--format", "json")).stdout)).toEqual(body);
		expect((await runModelCommand("dn", "uni/tn-prod")).stdout).toMatch(/^rn +class +naming +dn\nuni /);
	});
});
