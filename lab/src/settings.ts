/** Settings of the lab from the environment. Reports all invalid settings at once. */
import { findProfile, PROFILE_NAMES, type ProfileName } from "./automation/profiles.ts";
import type { FabricSize } from "./controller/fabric/sizes.ts";

export interface Settings {
	readonly port: number;
	/** How many members the controller's cluster has. */
	readonly controllers: number;
	/** How many fabrics there are, with a cluster each. */
	readonly fabrics: number;
	/** Port of the second member; 0: any free ones. */
	readonly memberPort: number;
	readonly automationPort: number;
	readonly automationProfile: ProfileName;
	readonly size: FabricSize;
	readonly seed: number;
	readonly latency: boolean;
	readonly tls: boolean;
	/** A file with the PEM text of the administrator's certificate; empty: none. */
	readonly certificate: string;
	readonly modelSource: {
		readonly port: number;
		readonly classes: number;
		/** A folder of real documents; empty: none. */
		readonly documents: string;
	};
}

/** All that is wrong with the settings, one line each. */
export class SettingsError extends Error {}

const SIZES: readonly FabricSize[] = ["small", "medium", "large"];

export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
	const wrong: string[] = [];
	const read = <T>(name: string, initial: T, convert: (text: string) => T | undefined, expected: string): T => {
		const text = env[name];
		if (text === undefined || text === "") return initial;
		const value = convert(text);
		if (value === undefined) wrong.push(`${name}: expected ${expected}, found "${text}"`);
		return value ?? initial;
	};
	const onOff = (text: string) => (text === "on" ? true : text === "off" ? false : undefined);
	const number = (least: number, most: number) => (text: string) =>
		/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined;
	const whole = (most: number) => number(0, most);
	const port = (name: string, initial: number) => read(name, initial, whole(65_535), "a port number from 0 to 65535");
	const settings = {
		port: port("LAB_CONTROLLER_PORT", 8443),
		controllers: read("LAB_CONTROLLERS", 1, number(1, 7), "a whole number from 1 to 7"),
		fabrics: read("LAB_FABRICS", 1, number(1, 9), "a whole number from 1 to 9"),
		memberPort: port("LAB_MEMBER_PORT", 0),
		automationPort: port("LAB_AUTOMATION_PORT", 0),
		automationProfile: read("LAB_AUTOMATION_PROFILE", "awx_24", findProfile, `one of ${PROFILE_NAMES.join(", ")}`),
		size: read("LAB_SIZE", "small", (text) => SIZES.find((size) => size === text), `one of ${SIZES.join(", ")}`),
		seed: read("LAB_SEED", 1, whole(4_294_967_295), "a whole number below 4294967296"),
		latency: read("LAB_LATENCY", false, onOff, "on or off"),
		tls: read("LAB_TLS", false, onOff, "on or off"),
		certificate: env.LAB_CERTIFICATE ?? "",
		modelSource: {
			port: port("LAB_MODEL_SOURCE_PORT", 8445),
			classes: read("LAB_MODEL_CLASSES", 2_000, whole(100_000), "a whole number up to 100000"),
			documents: env.LAB_MODEL_DOCUMENTS ?? "",
		},
	};
	if (wrong.length > 0) throw new SettingsError(wrong.join("\n"));
	return settings;
}
