/** Writes docs/openapi.json and docs/permissions.md from the contracts, and docs/settings.md. */
import { writeFile } from "node:fs/promises";
import { allRoutes } from "@weft/contracts";
import { openApiDocument } from "./core/http/openapi.ts";
import { readVersion } from "./open.ts";
import { buildPermissionsDocument } from "./permissions-document.ts";
import { buildSettingsDocument } from "./settings-document.ts";

const docs = new URL("../../docs/", import.meta.url);
const document = openApiDocument(allRoutes, await readVersion());
// Two spaces, no tabs: Spectral counts each tab as a mistake of YAML and runs out of stack.
await writeFile(new URL("openapi.json", docs), `${JSON.stringify(document, null, "  ")}\n`);
await writeFile(new URL("permissions.md", docs), buildPermissionsDocument(allRoutes));
await writeFile(new URL("settings.md", docs), buildSettingsDocument());
