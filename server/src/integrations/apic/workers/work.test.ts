import { afterAll, expect, it } from "vitest";
import { createWorkerPool } from "../../../core/workers/pool.ts";
import { type ControllerPool, createInspect, getControllerWorkerUrl } from "./work.ts";

const pool: ControllerPool = createWorkerPool({ url: getControllerWorkerUrl(), size: 1 });
afterAll(() => pool.close());
const inspect = createInspect(pool);
const getAnswer = (count: number) => {
	const object = `{"fvBD":{"attributes":{"dn":"uni/é","n":12345678901234567890,"descr":"${"x".repeat(900)}"}}}`;
	return `{"totalCount":"${count}","imdata":[${Array.from({ length: count }, () => object).join(",")}]}`;
};

it.each([1, 5_000])("an answer of %i objects comes back byte by byte, counted", async (count) => {
	const text = getAnswer(count);
	const found = await inspect(Buffer.from(text));
	expect(found?.body.equals(Buffer.from(text))).toBe(true);
	expect(found).toMatchObject({ count, totalCount: String(count), first: { fvBD: { attributes: { dn: "uni/é" } } } });
});

it("an answer that is cut off is no JSON, whatever its length", async () => {
	for (const count of [1, 5_000]) expect(await inspect(Buffer.from(getAnswer(count).slice(0, -1)))).toBeNull();
});

it("bytes that are not UTF-8 become text that is", async () => {
	const found = await inspect(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]));
	expect(found?.body.toString("utf8")).toBe('{"a":"\ufffd"}');
	expect(found).toMatchObject({ count: null, first: null, totalCount: null });
});
