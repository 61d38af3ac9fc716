/** The keys of stored secrets: from the settings, or from the file in the data folder. */

import type { Config } from "./config.ts";
import type { Store } from "./core/ports/store.ts";
import { opensNothing } from "./rotate-key.ts";
import { hasCluster, openDataFolder } from "./storage/embedded-postgres/index.ts";
import { type KeyFile, openKeyFile } from "./storage/secrets/key-file.ts";
import { createSecrets } from "./storage/secrets/secrets.ts";

/**
 * The key file, unless the settings give the keys. It is made before the store is, so that a store
 * without one has lost it.
 */
export async function openKeys({ secretKeys, dataDir, databaseUrl }: Config): Promise<KeyFile | null> {
	if (secretKeys.length > 0) return null;
	const folder = databaseUrl === null ? await openDataFolder(dataDir) : dataDir;
	return openKeyFile(folder, { hasStore: await hasCluster(folder) });
}

/**
 * A key that was cut looks whole where its line ends, but opens no stored secret.
 * @throws with a sentence where the file's keys open nothing of the store
 */
export async function checkKeys(keyFile: KeyFile | null, store: Store): Promise<void> {
	if (keyFile === null || keyFile.isOwn()) return;
	if (await opensNothing(store, keyFile.keys())) throw keyFile.mismatch();
}

/** `keyFile` is null where the settings give the keys. */
export function openSecrets({ secretKeys: [first, ...older] }: Config, keyFile: KeyFile | null) {
	if (keyFile !== null) return { secrets: createSecrets(() => keyFile.keys()), keyFile };
	if (first === undefined) throw new Error("There is neither WEFT_SECRET_KEY nor a key file.");
	return { secrets: createSecrets([first, ...older]), keyFile };
}
