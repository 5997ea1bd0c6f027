import { isolated } from '../../scripts/house/isolated.mjs';

/** Before the workers start: an environment without this machine's home, which they and their children inherit. */
export default function isolate(): () => void {
  const scratch = isolated();
  for (const name of Object.keys(process.env)) if (!(name in scratch.env)) delete process.env[name];
  Object.assign(process.env, scratch.env);
  return scratch.remove;
}
