export default { optimizeDeps: { exclude: ['shardwise'] } };
