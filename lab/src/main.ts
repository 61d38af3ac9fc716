#!/usr/bin/env node
/** Runs the simulators as a process. Prints one line when ready; exits on SIGTERM and SIGINT. */
import { readFile } from "node:fs/promises";
import { makeCertificate } from "./certificate.ts";
import { type RunningController, startLab } from "./index.ts";
import { readSettings } from "./settings.ts";

async function main(): Promise<void> {
	const settings = readSettings(process.env);
	const {
		port,
		controllers,
		fabrics,
		memberPort,
		automationPort,
		automationProfile,
		size,
		seed,
		latency,
		certificate,
	} = settings;
	const certificates =
		certificate === "" ? [] : [{ user: "admin", name: "weft", pem: await readFile(certificate, "utf8") }];
	const tls = settings.tls ? { tls: await makeCertificate() } : {};
	const { documents, ...source } = settings.modelSource;
	const lab = await startLab({
		controller: { port, members: controllers, memberPort, size, seed, latency, certificates, ...tls },
		fabrics,
		automation: { port: automationPort, profile: automationProfile, seed },
		modelSource: { ...source, seed, ...(documents === "" ? {} : { documents }) },
	});
	const { automation } = lab;
	const shown = ({ url, username, password, members }: RunningController) => ({
		url,
		username,
		password,
		members: members.map((member) => member.url),
	});
	const ready = {
		ready: true,
		controller: shown(lab.controller),
		...(fabrics === 1 ? {} : { other_controllers: lab.otherControllers.map(shown) }),
		automation: {
			url: automation.url,
			username: automation.username,
			password: automation.password,
			token: automation.token,
		},
		model_source: { url: lab.modelSource.url, keys: lab.modelSource.keys },
	};
	process.stdout.write(`${JSON.stringify(ready)}\n`);
	const stop = () => {
		lab.close().then(() => process.exit(0));
	};
	process.once("SIGTERM", stop);
	process.once("SIGINT", stop);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exit(1);
});
