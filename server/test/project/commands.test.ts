/** Commands, settings and addresses in documents are those that there are. */
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { documents, getCalls, getCode, getText, root } from "../support/documents.ts";

/** Without those of the past, and the one of the simulators, which have addresses of others. */
const OF_TODAY = documents.filter((path) => !/CHANGELOG|docs\/adr\/|lab\/README/.test(path));
const { scripts } = JSON.parse(getText(join(root, "package.json"))) as { scripts: Record<string, string> };
const BENCHMARKS = readdirSync(join(root, "bench/src")).map((name) => name.replace(".ts", ""));
const ADMIN = new Set(
	[...getText(join(root, "server/src/admin-commands.ts")).matchAll(/^\t"?([a-z-]+)"?: \{/gm)].map(([, name]) => name),
);
const LAB_SETTINGS: readonly string[] = getText(join(root, "lab/src/settings.ts")).match(/\bLAB_[A-Z_]+\b/g) ?? [];
const served = Object.keys(JSON.parse(getText(join(root, "docs/openapi.json"))).paths);

/** Variables of the command line, of tests, of benchmarks and of the simulators. */
const OF_OTHERS = /^WEFT_(URL|TOKEN|PROFILE|TEST_.*|BENCH_.*|FAULT_.*|SOAK_.*|PICTURES)$|^LAB_/;

/** Problems that a check finds in each document, with the document's name. */
const inAll = (check: (text: string) => string[]): string[] =>
	OF_TODAY.flatMap((path) => check(getText(path)).map((problem) => `${relative(root, path)}: ${problem}`));

describe("documents name", () => {
	it("scripts, benchmarks and commands of administration that there are", () => {
		const wrong = inAll((text) =>
			getCalls(text, "npm run").flatMap(([script = "", ...words]) => {
				if (!Object.hasOwn(scripts, script)) return [`npm run ${script}`];
				const [first = ""] = words.filter((word) => word !== "--");
				const isName = /^[a-z0-9-]+$/.test(first) && !first.startsWith("-");
				if (script === "bench" && isName && !BENCHMARKS.includes(first)) return [`npm run bench -- ${first}`];
				return script === "admin" && isName && !ADMIN.has(first) ? [`npm run admin -- ${first}`] : [];
			}),
		);
		expect(wrong).toEqual([]);
		expect(ADMIN).toContain("doctor");
	});

	it("settings of the service and of the simulators that there are", () => {
		const wrong = inAll((text) => {
			const names = getCode(text).flatMap((code): string[] => code.match(/\b(?:WEFT|LAB)_[A-Z0-9_]*[A-Z0-9]\b/g) ?? []);
			const service = names.filter((name) => !OF_OTHERS.test(name));
			const { unknown } = readConfig(Object.fromEntries(service.map((name) => [name, ""])));
			return [...unknown, ...names.filter((name) => name.startsWith("LAB_") && !LAB_SETTINGS.includes(name))];
		});
		expect(wrong).toEqual([]);
	});

	it("addresses that the service has", () => {
		// The beginning of addresses is one, too.
		const isServed = (address: string): boolean => {
			const parts = address.split("/").slice(0, -1);
			return served.some((path) => {
				const others = path.split("/");
				return parts.every((part, at) => others[at]?.startsWith("{") || part === others[at]);
			});
		};
		const wrong = inAll((text) =>
			getCode(text)
				.flatMap(
					(code) =>
						code.match(
							/\/api\/(?:auth|queries|controller|time-machine|checks|automation|notifications|tasks|audit)\/[^\s"'`?,;)]*/g,
						) ?? [],
				)
				.filter((address) => address.endsWith("/") && !/[*…]/.test(address) && !isServed(address)),
		);
		expect(wrong).toEqual([]);
	});
});
