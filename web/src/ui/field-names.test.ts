import { describe, expect, it } from "vitest";
import { writeLabels } from "./field-names.ts";

const LABELS: Readonly<Record<string, string>> = {
	interval_s: "Interval, in seconds",
	starts_at: "Begins",
	name: "Name",
};
const writeMessage = (message: string) => writeLabels(message, (name) => LABELS[name] ?? null);

describe("a message of the service in a form", () => {
	it("names fields as the form labels them", () => {
		expect(writeMessage("Make interval_s longer.")).toBe('Make "Interval, in seconds" longer.');
		expect(writeMessage("Must be after starts_at.")).toBe('Must be after "Begins".');
	});

	it("keeps words, and names of no field", () => {
		expect(writeMessage("The name must not be above content_max_bytes.")).toBe(
			"The name must not be above content_max_bytes.",
		);
	});
});
