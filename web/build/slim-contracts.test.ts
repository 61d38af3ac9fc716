/** The contracts in the browser: all routes and channels, without validation. */
import * as contracts from "@weft/contracts";
import { expect, it } from "vitest";
import { slimContracts } from "./slim-contracts.ts";

/** What a program that imports all of it gets, by name. */
async function load(): Promise<Record<string, unknown>> {
	const { load: loader } = slimContracts() as unknown as { load(id: string): Promise<string | { code: string }> };
	const index = await loader("\0weft-contracts");
	const names = [...String(index).matchAll(/^export \{ (\w+) \}/gm)].map(([, name = ""]) => name);
	return Object.fromEntries(
		await Promise.all(
			names.map(async (name) => {
				const { code } = (await loader(`\0weft-contracts/${name}`)) as { code: string };
				const [, text = '""'] = /JSON\.parse\((".*")\);$/.exec(code) ?? [];
				return [name, JSON.parse(JSON.parse(text))] as const;
			}),
		),
	);
}

it("has all routes with their methods and paths, and the constants, but no schema and no function", async () => {
	const slim = await load();
	const areas = slim.areas as Record<
		string,
		Record<string, { id: string; method: string; path: string; auth: string }>
	>;
	const routes = Object.values(areas).flatMap((area) => Object.values(area));
	expect(routes).toEqual(contracts.allRoutes.map(({ id, method, path, auth }) => ({ id, method, path, auth })));
	expect(slim.FREQUENCIES).toEqual(contracts.FREQUENCIES);
	expect(slim.chainExecutionChannel).toEqual({
		path: contracts.chainExecutionChannel.path,
		frames: Object.fromEntries(Object.keys(contracts.chainExecutionChannel.frames).map((type) => [type, true])),
		final: contracts.chainExecutionChannel.final,
	});
	expect(slim).not.toHaveProperty("savedQuery");
	expect(slim).not.toHaveProperty("isTimeZone");
});
