/** The secrets of the store under the keys of the settings, or of the file in the data folder. */
import type { Config } from "./config.ts";
import type { Store } from "./core/ports/store.ts";
import { opensNothing } from "./rotate-key.ts";
import type { KeyFile } from "./storage/secrets/key-file.ts";
import { createSecrets } from "./storage/secrets/secrets.ts";

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
