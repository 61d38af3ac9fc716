/** Makes a self-signed certificate, as most controllers have, with `openssl`. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** @throws Error that names the missing command if `openssl` cannot be run */
export async function makeCertificate(command = "openssl"): Promise<{ readonly key: string; readonly cert: string }> {
	const folder = await mkdtemp(join(tmpdir(), "weft-lab-"));
	try {
		const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
		const subject = ["-subj", "/CN=weft-lab", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
		await promisify(execFile)(command, [
			"req",
			"-x509",
			"-newkey",
			"rsa:2048",
			"-nodes",
			"-days",
			"30",
			...subject,
			"-keyout",
			key,
			"-out",
			cert,
		]);
		return { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
	} catch (error) {
		const reason =
			error instanceof Error && "code" in error && error.code === "ENOENT" ? "it is not installed" : String(error);
		throw new Error(`LAB_TLS=on needs the openssl command to make a certificate: ${reason}`);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
