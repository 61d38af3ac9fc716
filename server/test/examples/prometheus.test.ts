/**
 * The configurations of examples/prometheus: what Prometheus would request by them is answered by
 * the service with the metrics of the rules.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { listenForMetrics } from "../../src/core/http/metrics.ts";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { buildExamplePath, getAddress, readExample } from "../support/examples.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";

const TOKEN = "a token for the metrics of tests";

interface Scrape {
	readonly job_name: string;
	readonly scheme?: string;
	readonly metrics_path?: string;
	readonly authorization?: { readonly type?: string; readonly credentials_file: string };
	readonly static_configs: readonly { readonly targets: readonly string[] }[];
}

describe("examples/prometheus", () => {
	let t: TestApp;
	let port: Awaited<ReturnType<typeof listenForMetrics>>;
	beforeAll(async () => {
		const metrics = { ...createMetrics("1.2.3"), token: TOKEN };
		t = await startTestApp({ deps: { metrics } });
		port = await listenForMetrics(metrics, { host: "127.0.0.1", port: 0 });
	});
	afterAll(async () => {
		await port.close();
		await t.close();
	});

	/** Requests what Prometheus does by its defaults, from this service instead of the targets. */
	async function scrapeMetrics({ scheme = "http", metrics_path = "/metrics", authorization }: Scrape, origin: string) {
		expect(scheme).toBe("http");
		const headers: Record<string, string> = {
			accept: "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1",
			...(authorization === undefined ? {} : { authorization: `${authorization.type ?? "Bearer"} ${TOKEN}` }),
		};
		return fetch(`${origin}${metrics_path}`, { headers });
	}

	it.each([
		["prometheus.yml", () => `http://127.0.0.1:${port.port}`, 9464],
		["prometheus-token.yml", () => getAddress(t), 8080],
	] as const)("%s gets metrics that its rules are about", async (file, origin, targetPort) => {
		const { scrape_configs, rule_files } = parse(readExample(`prometheus/${file}`));
		const [config]: Scrape[] = scrape_configs;
		if (config === undefined) throw new Error("There is no configuration.");
		for (const target of config.static_configs.flatMap(({ targets }) => targets))
			expect(target).toMatch(new RegExp(`^[\\w.-]+:${targetPort}$`));
		const answer = await scrapeMetrics(config, origin());
		expect(answer.status).toBe(200);
		expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
		const text = await answer.text();
		for (const line of text.split("\n").filter((line) => line !== ""))
			expect(line).toMatch(/^(# (HELP|TYPE) \w+ |\w+(\{.*\})? \S+$)/);
		for (const rules of rule_files as string[]) {
			const path = resolve(buildExamplePath("prometheus"), rules);
			expect(existsSync(path), path).toBe(true);
			const { groups } = parse(readExample(`prometheus/${rules}`));
			for (const rule of groups.flatMap(({ rules }: { rules: { expr: string }[] }) => rules)) {
				for (const [, job] of rule.expr.matchAll(/job="(\w+)"/g)) expect(job).toBe(config.job_name);
			}
		}
		expect(text).toContain('weft_build_info{version="1.2.3"} 1\n');
	});

	it("needs the token at the service's own port alone", async () => {
		const [open] = parse(readExample("prometheus/prometheus.yml")).scrape_configs;
		const [withToken] = parse(readExample("prometheus/prometheus-token.yml")).scrape_configs;
		expect((await scrapeMetrics(open, getAddress(t))).status).toBe(401);
		expect(withToken.authorization.credentials_file).toMatch(/^\//);
	});

	it("has rules of its own about metrics that the service has", async () => {
		const { groups } = parse(readExample("prometheus/rules.yml"));
		const rules: { alert: string; expr: string; annotations: { summary: unknown } }[] = groups[0].rules;
		expect(rules.map(({ alert, annotations }) => [alert, typeof annotations.summary])).toEqual([
			["WeftVersionsDiffer", "string"],
			["WeftConnectionDown", "string"],
			["WeftConnectionUnused", "string"],
		]);
		const [open] = parse(readExample("prometheus/prometheus.yml")).scrape_configs;
		const text = await (await scrapeMetrics(open, `http://127.0.0.1:${port.port}`)).text();
		for (const { expr } of rules)
			for (const [name] of expr.matchAll(/weft_\w+/g)) expect(text).toMatch(new RegExp(`^# TYPE ${name} gauge$`, "m"));
	});
});
