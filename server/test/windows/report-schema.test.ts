/** The JSON Schema of the report: a client reads it without a token, and real reports fit it. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, move, writeDomain } = windows;

describe("the schema of the report", () => {
	it("is read without a token, and accepts the report before the work, after the verdict and when it is signed", async () => {
		const schema = await windows.t.anonymous.get("/api/schema/change-report-v1.json");
		expect(schema.status, schema.text).toBe(200);
		expect(schema.headers["content-type"]).toContain("application/schema+json");
		const published = z.fromJSONSchema(JSON.parse(schema.text));
		const { id } = await window({ ticket: { number: "CHG0031337" } });
		const readProblems = async () => {
			const report = await windows.ada.api.get(`${WINDOWS}${id}/report/?format=json`);
			expect(report.status, report.text).toBe(200);
			return published.safeParse(report.body).error;
		};
		expect(await readProblems()).toBeUndefined();
		await open(id);
		expect(await readProblems()).toBeUndefined();
		await writeDomain("stray");
		await judge(id);
		expect(await readProblems()).toBeUndefined();
		expect((await move(id, "sign", { comment: "Seen." })).status).toBe(200);
		expect(await readProblems()).toBeUndefined();
	});
});
