import { describe, expect, it } from "vitest";
import { readSettings, SettingsError } from "./settings.ts";

describe("settings", () => {
	it("have defaults", () => {
		expect(readSettings({})).toEqual({
			port: 8443,
			controllers: 1,
			fabrics: 1,
			memberPort: 0,
			automationPort: 0,
			automationProfile: "awx_24",
			size: "small",
			seed: 1,
			latency: false,
			tls: false,
			certificate: "",
			modelSource: { port: 8445, classes: 2_000, documents: "" },
		});
	});

	it("are read from the environment", () => {
		expect(
			readSettings({
				LAB_CONTROLLER_PORT: "0",
				LAB_CONTROLLERS: "3",
				LAB_FABRICS: "2",
				LAB_MEMBER_PORT: "9000",
				LAB_AUTOMATION_PROFILE: "aap_2_5",
				LAB_SIZE: "large",
				LAB_SEED: "42",
				LAB_LATENCY: "on",
				LAB_TLS: "on",
				LAB_CERTIFICATE: "/certificate.pem",
				LAB_MODEL_SOURCE_PORT: "0",
				LAB_MODEL_CLASSES: "15000",
				LAB_MODEL_DOCUMENTS: "/documents",
			}),
		).toEqual({
			port: 0,
			controllers: 3,
			fabrics: 2,
			memberPort: 9_000,
			automationPort: 0,
			automationProfile: "aap_2_5",
			size: "large",
			seed: 42,
			latency: true,
			tls: true,
			certificate: "/certificate.pem",
			modelSource: { port: 0, classes: 15_000, documents: "/documents" },
		});
	});

	it("tell everything that is wrong at once", () => {
		const wrong = {
			LAB_CONTROLLER_PORT: "99999",
			LAB_CONTROLLERS: "8",
			LAB_FABRICS: "0",
			LAB_AUTOMATION_PORT: "x",
			LAB_AUTOMATION_PROFILE: "aap_9",
			LAB_SIZE: "huge",
			LAB_SEED: "-1",
			LAB_TLS: "yes",
			LAB_MODEL_CLASSES: "many",
		};
		expect(() => readSettings(wrong)).toThrow(SettingsError);
		for (const name of Object.keys(wrong)) expect(() => readSettings(wrong)).toThrow(name);
	});
});
