/**
 * The classes and properties of the questions exist: in the simulated controller's model, and in
 * real class documents where these are at hand.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { startController } from "@weft/lab";
import { describe, expect, it } from "vitest";
import { listKeys, readFixture, readQuestion } from "../support/gallery.ts";

const ROOT = new URL("../../../../", import.meta.url);
const SHARED = ["shared/data/", "../shared/data/"].map((path) => new URL(path, ROOT)).find((url) => existsSync(url));
/** Properties that the controller gives to every object. */
const COMMON = ["dn", "rn", "descr", "name", "modTs", "uid", "status", "lcOwn"];
/** Classes that recorded clients ask for and that no list of names has. */
const UNLISTED = ["aaaModLR", "ethpmAggrIf", "firmwareRunning", "pcAggrIf", "rmonEtherStats"];

/** Properties by class that the objects of a question's fixture have. */
function listFixtureProperties(key: string): [string, string[]][] {
	const { nearMisses, matching } = readFixture(key);
	const { classes } = readQuestion(key);
	return [...nearMisses, ...matching]
		.flatMap((object) => Object.entries(object))
		.filter(([name]) => classes.includes(name))
		.map(([name, { attributes }]) => [name, Object.keys(attributes)]);
}

/** Properties by class that the filters of a question name. */
const listFilterProperties = (key: string): [string, string[]][] =>
	readQuestion(key).flow_data.nodes.flatMap(({ id, data }): [string, string[]][] => {
		const { property } = data as { property?: string };
		return property === undefined ? [] : [[String(id).replace(/-filter-\d+$/, ""), [property]]];
	});

const listProperties = (key: string) => [...listFixtureProperties(key), ...listFilterProperties(key)];

describe("classes and properties of the gallery", () => {
	it("asks only for classes and properties that the simulated controller knows", async () => {
		const lab = await startController({ size: "small" });
		try {
			const login = await fetch(`${lab.url}/api/aaaLogin.json`, {
				method: "POST",
				body: JSON.stringify({ aaaUser: { attributes: { name: lab.username, pwd: lab.password } } }),
			});
			const cookie = login.headers.get("set-cookie") ?? "";
			const unknown: string[] = [];
			for (const key of listKeys()) {
				for (const [name, properties] of listFilterProperties(key)) {
					for (const property of properties) {
						const filter = `query-target-filter=${encodeURIComponent(`wcard(${name}.${property},"x")`)}`;
						const answer = await fetch(`${lab.url}/api/class/${name}.json?${filter}&page-size=1`, {
							headers: { cookie },
						});
						if (!answer.ok && (await answer.text()).includes("not found")) unknown.push(`${key}: ${name}.${property}`);
					}
				}
				for (const name of readQuestion(key).classes) {
					const answer = await fetch(`${lab.url}/api/class/${name}.json?page-size=1`, { headers: { cookie } });
					if (!answer.ok) unknown.push(`${key}: ${name}: ${await answer.text()}`);
				}
			}
			expect(unknown).toEqual([]);
		} finally {
			await lab.close();
		}
	});

	it.skipIf(SHARED === undefined)("are in the class documents, where the shared data is at hand", () => {
		const folder = new URL("controller/jsonmeta/", SHARED);
		const documents = new Map(
			readdirSync(folder).map(
				(file): [string, { versions: string; properties: Record<string, { versions?: string }> }] => {
					const [document] = Object.values(JSON.parse(readFileSync(new URL(file, folder), "utf8")));
					return [file.replace(".json", ""), document as never];
				},
			),
		);
		const names = new Set(readFileSync(new URL("model/class-names.txt", SHARED), "utf8").split(/\s+/));
		const problems: string[] = [];
		let checked = 0;
		for (const key of listKeys()) {
			for (const name of readQuestion(key).classes) {
				if (!names.has(name) && !UNLISTED.includes(name)) problems.push(`${key}: no class ${name}`);
			}
			for (const [name, properties] of listProperties(key)) {
				const document = documents.get(name);
				if (document === undefined) continue;
				if (!isInReleases(document.versions)) problems.push(`${key}: ${name} is only in ${document.versions}`);
				for (const property of properties.filter((one) => !COMMON.includes(one))) {
					checked++;
					const found = document.properties[property];
					if (found === undefined) problems.push(`${key}: no property ${name}.${property}`);
					else if (!isInReleases(found.versions))
						problems.push(`${key}: ${name}.${property} is only in ${found.versions}`);
				}
			}
		}
		expect(problems).toEqual([]);
		expect(checked).toBeGreaterThan(40);
	});
});

/** Whether `1.0(1e)-` or `4.2(6d)-4.2(7w),5.1(2e)-` covers the releases 5.2, 6.0 and 6.1. */
function isInReleases(versions = "1.0-"): boolean {
	const ranges = versions.split(",").map((range) => range.split("-"));
	return [
		[5, 2],
		[6, 0],
		[6, 1],
	].every(([major = 0, minor = 0]) =>
		ranges.some(
			([from = "", to = ""]) =>
				compareRelease(from, major, minor) <= 0 && (to === "" || compareRelease(to, major, minor) >= 0),
		),
	);
}

function compareRelease(text: string, major: number, minor: number): number {
	const [, ownMajor = "0", ownMinor = "0"] = /^(\d+)\.(\d+)/.exec(text) ?? [];
	return Number(ownMajor) - major || Number(ownMinor) - minor;
}
