/**
 * Copies the viewers of the API documentation into server/assets. Each is one script that needs nothing else, so the packages that
 * they are built from are no dependencies of the service.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Paths in node_modules, by the name of the copy. Two packages inside Redoc name no licence but have its text. */
const FILES = {
	"swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
	"swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
	"swagger-ui-bundle.js.LICENSE.txt": "swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt",
	"swagger-ui.LICENSE": "swagger-ui-dist/LICENSE",
	"swagger-ui.NOTICE": "swagger-ui-dist/NOTICE",
	"redoc.standalone.js": "redoc/bundles/redoc.standalone.js",
	"redoc.standalone.js.LICENSE.txt": "redoc/bundles/redoc.standalone.js.LICENSE.txt",
	"redoc.LICENSE": "redoc/LICENSE",
	"decko.LICENSE": "decko/LICENSE",
	"stickyfill.LICENSE": "stickyfill/LICENSE",
};

export function copyApiViewers(root) {
	const folder = join(root, "server/assets");
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	for (const [name, path] of Object.entries(FILES)) cpSync(join(root, "node_modules", path), join(folder, name));
}
